import type { SourceTool, ToolSource } from '../../transport/tools'

/** The sources with the tools that hold every word of a query; a source without one is left out. Without a query, all. */
export function matching(sources: readonly ToolSource[], query: string): ToolSource[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...sources]
  return sources
    .map((source) => ({ ...source, tools: source.tools.filter((tool) => holdsAll(said(source, tool), words)) }))
    .filter(({ tools }) => tools.length > 0)
}

function holdsAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word))
}

function said(source: ToolSource, tool: SourceTool): string {
  const { name, toolName, label, description, category, tags, sideEffects } = tool
  return [source.label, name, toolName, label, description, category, ...tags, ...sideEffects].join(' ').toLowerCase()
}
