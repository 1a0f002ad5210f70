import { escapeInvisible } from '../../protocol/text'
import { Button } from '../../ui/Button'
import { namedTools, otherLabel, type Query } from './query'

interface Props {
  query: Query
  tools: readonly string[]
  labels: Readonly<Record<string, string>>
  /** Lists the calls of a tool in place of what was searched for. */
  onShow: (tool: string) => void
}

/** Leads from the words of a search to the calls of the tools they name: a name stands in no text that is searched. */
export function NamedTools({ query, tools, labels, onShow }: Props) {
  const named = query.tool ? [] : namedTools(query.q, tools, labels)
  if (named.length === 0) return null
  return (
    <div className="flex flex-wrap items-center gap-2 text-small text-muted">
      {named.map((tool) => (
        <Button key={tool} small onClick={() => onShow(tool)}>
          All calls of <span className="font-mono text-code">{tool}</span>
          {otherLabel(tool, labels) && <span className="text-muted">({escapeInvisible(labels[tool] ?? '')})</span>}
        </Button>
      ))}
    </div>
  )
}
