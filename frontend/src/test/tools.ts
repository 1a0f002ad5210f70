import { type ToolSource, toolSource } from '../transport/tools'

/** A source of tools as the Studio lists it, with what is the same of most left out. */
export function listed(id: string, tools: object[], more: object = {}): ToolSource {
  const whole = tools.map((tool) => ({
    description: 'Does something',
    callable: true,
    tried: false,
    threadId: 'thr_1',
    approval: 'never',
    ...tool,
  }))
  return toolSource(JSON.stringify({ id, label: id, description: '', folder: false, ...more, tools: whole }))
}
