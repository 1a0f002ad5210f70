import { describe, expect, it } from 'vitest'
import { agentSpec } from '../../transport/agents'
import { studioState } from '../../transport/answers'
import { agentDraftOf, agentOf, toolGroups } from './agentDraft'

const full = agentSpec({
  version: 1,
  name: 'one',
  backend: 'p1',
  model: 'm',
  tools: ['read_file'],
  approvals: { read_file: 'always' },
  maxTurns: 7,
  maxRepeats: -1,
  maxRetries: 2,
  contextTokens: 9000,
  maxResultLength: -1,
  timeoutMs: 90_500,
  toolTimeoutMs: 250,
  temperature: 0,
})

describe('a draft of an agent', () => {
  it('gives back the agent it was made of', () => {
    expect(agentOf(agentDraftOf(full))).toEqual({ spec: full })
    expect(agentOf(agentDraftOf())).toEqual({ spec: { ...agentSpec({ version: 1, allTools: true }) } })
  })

  it('shows limits in the units people write', () => {
    expect(agentDraftOf(full).limits).toEqual({
      maxTurns: '7',
      contextTokens: '9000',
      maxResultLength: 'all',
      maxTokens: '',
      timeoutMs: '90.5',
      toolTimeoutMs: '0.25',
      approvalTtlMs: '',
      temperature: '0',
    })
  })

  it.each([
    ['maxTurns', 'five', '“five” is no whole number.'],
    ['maxTurns', '1.5', '“1.5” is no whole number.'],
    ['maxTurns', '-3', 'At least 1.'],
    ['maxTurns', '0', 'At least 1.'],
    ['maxResultLength', 'half', '“half” is no whole number, nor all.'],
    ['timeoutMs', '1e', '“1e” is no number.'],
    ['timeoutMs', '-0,5', 'At least 0.001.'],
    ['temperature', '.', '“.” is no number.'],
    ['temperature', '-1', 'At least 0.'],
    ['temperature', '2.5', 'At most 2.'],
  ] as const)('refuses %s %s and says why', (limit, written, fault) => {
    const draft = agentDraftOf(full)
    expect(agentOf({ ...draft, limits: { ...draft.limits, [limit]: written } })).toEqual({ limit, fault })
  })

  it('takes a decimal with a comma, and forgets the list when every tool is the agent’s', () => {
    const draft = agentDraftOf(full)
    const made = agentOf({ ...draft, allTools: true, limits: { ...draft.limits, timeoutMs: ' 1,5 ' } })
    expect(made).toMatchObject({ spec: { timeoutMs: 1500, tools: [], allTools: true } })
  })
})

it('tools are grouped by where they come from, and what nobody has is named', () => {
  const state = studioState({
    settings: { toolsets: { memory: true, browser: false } },
    toolsets: [
      { name: 'memory', description: 'Keeps notes', tools: ['remember'] },
      { name: 'browser', description: 'Opens pages', tools: ['browser_open'] },
    ],
    mcpServers: [
      {
        name: 'words',
        enabled: true,
        tools: [
          { name: 'search', toolName: 'words_search', description: 'Looks up' },
          { name: 'bad', toolName: '', error: 'no schema' },
        ],
      },
    ],
  })
  const all = [{ name: 'read_file', description: 'Reads', parameters: {} }]
  expect(toolGroups(state, ['read_file'], all, ['read_file', 'gone_tool'])).toEqual([
    { label: 'Files and commands of a folder', tools: [{ name: 'read_file', description: 'Reads' }] },
    { label: 'Keeps notes', off: undefined, tools: [{ name: 'remember', description: '' }] },
    { label: 'Opens pages', off: 'switched off under Tool sets', tools: [{ name: 'browser_open', description: '' }] },
    { label: 'MCP server words', off: undefined, tools: [{ name: 'words_search', description: 'Looks up' }] },
    { label: 'Not there now', off: 'nobody has them', tools: [{ name: 'gone_tool', description: '' }] },
  ])
})
