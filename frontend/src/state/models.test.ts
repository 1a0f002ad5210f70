// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { type StudioState, studioState, type ThreadChoice } from '../transport/answers'
import { defaultModel, missingModel } from './models'

const a = { id: 'a', name: 'A', model: 'a-1' }
const b = { id: 'b', name: 'B', model: 'b-1' }
const bare = { id: 'c', name: 'C', model: '' }

function studio(providers: object[], settings: object = {}, more: object = {}): StudioState {
  const agents = [
    { name: 'demo', needsModel: false },
    { name: 'workspace', needsModel: true },
  ]
  return studioState({ agents, providers, found: [], settings: { agentName: 'demo', ...settings }, ...more })
}

describe('the default model', () => {
  it.each<[string, StudioState, string | undefined]>([
    ['none', studio([]), undefined],
    ['the only one', studio([a]), 'A a-1'],
    ['the first, where none is chosen', studio([a, b]), 'A a-1'],
    ['the one that is chosen', studio([a, b], { providerId: 'b' }), 'B b-1'],
    ['its model that is chosen', studio([a, b], { providerId: 'b', model: 'b-2' }), 'B b-2'],
    ['the first, where the chosen one is gone', studio([a], { providerId: 'b', model: 'b-2' }), 'A a-1'],
  ])('is %s', (_, state, want) => {
    const found = defaultModel(state)
    expect(found && `${found.provider.name} ${found.model}`).toBe(want)
  })
})

describe('what has to be set up before a message is sent', () => {
  const workspace = { agentName: 'workspace' }
  it.each<[string, StudioState, ThreadChoice, object | undefined]>([
    ['nothing for the demo', studio([]), {}, undefined],
    ['a first model', studio([]), workspace, { kind: 'provider' }],
    ['one of those that were found', studio([], {}, { found: [{ id: 'o' }] }), workspace, { kind: 'settings' }],
    ['the model of a server', studio([bare]), workspace, { kind: 'provider', provider: { id: 'c' } }],
    ['another model for one that is gone', studio([a]), { providerId: 'x' }, { kind: 'settings' }],
    ['nothing with the only one', studio([a]), workspace, undefined],
    ['nothing with a model of its own', studio([a, bare]), { ...workspace, providerId: 'c', model: 'c-1' }, undefined],
    ['nothing where flags set a model', studio([], {}, { override: { label: 'x' } }), workspace, undefined],
  ])('is %s', (_, state, choice, want) => {
    const missing = missingModel(state, choice)
    if (want) expect(missing).toMatchObject(want)
    else expect(missing).toBeUndefined()
  })
})
