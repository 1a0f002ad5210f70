import { describe, expect, it } from 'vitest'
import { studioState } from '../transport/answers'
import { absence } from './absence'

const attached = [
  { name: 'here:1', url: 'http://here:1', state: 'ready', agents: ['weather'], tools: [] },
  { name: 'slow:1', url: 'http://slow:1', state: 'asking', agents: [], tools: [] },
]
const agents = [{ name: 'demo' }, { name: 'weather@here:1', server: 'here:1' }]
const studio = studioState({ agents, attached, settings: { agentName: 'demo' } })

describe('the agent of a thread', () => {
  for (const [name, agentName, imported, word, text] of [
    ['is there', 'demo', false, undefined, undefined],
    ['is that of the settings where none is named', '', false, undefined, undefined],
    ['was deleted', 'scout', false, 'deleted', 'The agent scout was deleted. Choose another one to go on.'],
    ['never was here', 'scout', true, 'not here', 'The agent scout is not here. Choose another one to go on.'],
    ['is on a server', 'weather@here:1', true, undefined, undefined],
    ['is on one that is not attached', 'scout@far:1', true, 'not attached', 'far:1 is not attached here.'],
    [
      'is none of its server',
      'a@b@here:1',
      false,
      'not there',
      'here:1 has no agent a@b. Choose another one to go on.',
    ],
    ['is on a server that was not heard yet', 'scout@slow:1', false, undefined, undefined],
  ] as const) {
    it(name, () => {
      const got = absence(studio, { agentName }, imported)
      expect([got?.word, got?.text]).toEqual([word, text])
      expect(got?.server).toBe(word === 'not attached' ? 'far:1' : undefined)
    })
  }
})
