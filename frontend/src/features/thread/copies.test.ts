import { describe, expect, it } from 'vitest'
import { call, event, finish, message, result, start, state, turn } from '../../test/logs'
import { openThread } from '../../test/thread'
import { threadAsJson, threadAsText } from './copies'

async function thread() {
  const child = { id: 'c2', toolName: 'look', parentToolCallId: 'c1' }
  const { store, app } = await openThread(
    [
      ...[start(), message('Go,\nplease.'), turn(1), event('text-delta', { id: 't', delta: 'I go.' })],
      ...[...call('c1', 'walk', '{"id":2512292042121000001}', { label: 'Walk' }), state('c1', 'running')],
      ...[
        event('tool-call-start', child),
        event('tool-call-delta', { id: 'c2', argsTextDelta: '{}' }),
        event('tool-call-end', { id: 'c2' }),
      ],
      ...[result('c2'), result('c1').replace('"result":"ok"', '"result":{"n":1.0}'), finish()],
    ],
    'completed',
  )
  return { runs: store.liveRuns, bodies: app.bodies }
}

describe('a thread', () => {
  it('is copied as text, the calls of a call with it', async () => {
    const { runs, bodies } = await thread()
    expect(await threadAsText(runs, bodies)).toBe(
      [
        'You:\n\nGo,\nplease.\n\ndemo:\n\nI go.',
        '> Walk  5 ms  done\n  walk {"id":2512292042121000001}\n  {"n":1.0}',
        '>   look  5 ms  done\n    look {}\n    "ok"',
      ].join('\n\n'),
    )
  })

  it('is copied as JSON that has every digit', async () => {
    const { runs, bodies } = await thread()
    const json = await threadAsJson('t1', 'A "title"', runs, bodies)
    expect(json).toContain('"result": {"n":1.0}')
    expect(JSON.parse(json)).toMatchObject({
      threadId: 't1',
      title: 'A "title"',
      runs: [
        {
          runId: 'r1',
          status: 'completed',
          items: [
            { id: 'u1', role: 'user', content: 'Go,\nplease.' },
            { role: 'assistant', content: 'I go.' },
            { id: 'c1', argumentsText: '{"id":2512292042121000001}' },
            { id: 'c2', parentToolCallId: 'c1' },
          ],
        },
      ],
    })
  })
  it('is copied with the structured output of its run once as text, and as JSON in every digit', async () => {
    const json = '{ "id": 2512292042121000001 }'
    const gave = finish().replace('}', ',"structured":{"id":2512292042121000001}}')
    const said = [start(), message('Go.'), turn(1), event('text-delta', { id: 't', delta: json })]
    const { store, app } = await openThread([...said, gave], 'completed')
    expect(await threadAsText(store.liveRuns, app.bodies)).toBe('You:\n\nGo.\n\ndemo:\n\n{"id":2512292042121000001}')
    const copied = await threadAsJson('t1', 'A', store.liveRuns, app.bodies)
    expect(copied).toContain('"structured":{"id":2512292042121000001},')
    expect(JSON.parse(copied)).toMatchObject({
      runs: [{ items: [{ role: 'user' }, { role: 'assistant', content: json }] }],
    })
  })

  it('is copied as text with what would not be seen escaped, and as JSON as it is', async () => {
    const hidden = 'rm \u202e\u200bfdp'
    const args = `{"command":"${hidden}"}`
    const log = [start(), message(hidden), turn(1), ...call('c1', 'run', args), state('c1', 'running'), result('c1')]
    const { store, app } = await openThread([...log, finish()], 'completed')
    const text = await threadAsText(store.liveRuns, app.bodies)
    expect(text).not.toContain(hidden)
    expect(text.split('rm \\u202e\\u200bfdp')).toHaveLength(3)
    const json = JSON.parse(await threadAsJson('t1', 'A', store.liveRuns, app.bodies))
    expect(json.runs[0].items).toMatchObject([{ content: hidden }, { argumentsText: args }])
  })
})
