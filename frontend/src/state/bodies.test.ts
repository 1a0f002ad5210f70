import { describe, expect, it } from 'vitest'
import { done, result } from '../test/logs'
import { openThread } from '../test/thread'
import { Bodies, refsOf } from './bodies'

const ref = (hash: string) => ({ hash, bytes: 70_000, head: '' })

describe('bodies', () => {
  it('are asked for once while they are on their way, and not again while they are kept', async () => {
    const asked: string[] = []
    const bodies = new Bodies(async (hash) => {
      asked.push(hash)
      return `text of ${hash}`
    })
    expect(await Promise.all([bodies.load(ref('a')), bodies.load(ref('a'))])).toEqual(['text of a', 'text of a'])
    expect(await bodies.load(ref('a'))).toBe('text of a')
    expect(asked).toEqual(['a'])
  })

  it('are few: those not looked at for longest go first', async () => {
    const asked: string[] = []
    const bodies = new Bodies(async (hash) => {
      asked.push(hash)
      return 'x'.repeat(1_000_000)
    })
    for (let i = 0; i < 200; i++) {
      await bodies.load(ref(`h${i}`))
      await bodies.load(ref('h0'))
    }
    expect(asked.length).toBe(200)
    const kept = Array.from({ length: 200 }, (_, i) => `h${i}`).filter((hash) => bodies.peek(ref(hash)) !== undefined)
    expect(kept).toEqual(['h0', ...Array.from({ length: 15 }, (_, i) => `h${i + 185}`)])
  })

  it('keep one that is larger than all that may be kept, and nothing beside it', async () => {
    const bodies = new Bodies(async (hash) => 'x'.repeat(hash === 'big' ? 20_000_000 : 10))
    await bodies.load(ref('a'))
    await bodies.load(ref('big'))
    expect(bodies.peek(ref('a'))).toBeUndefined()
    expect(bodies.peek(ref('big'))?.length).toBe(20_000_000)
  })

  it('that failed are asked for again', async () => {
    let times = 0
    const bodies = new Bodies(async () => {
      if (times++ === 0) throw new Error('gone')
      return 'back'
    })
    await expect(bodies.load(ref('a'))).rejects.toThrow('gone')
    expect(await bodies.load(ref('a'))).toBe('back')
  })
})

it('a call is whole with the texts it refers to, and its progress is not asked for once it is done', async () => {
  const { app, store } = await openThread([
    ...done('c1', 'read', '{}').slice(0, -1),
    '{"type":"tool-update","toolCallId":"c1","contentRef":{"hash":"cc","bytes":80000}}',
    result('c1').replace(
      '"result":"ok"',
      '"resultRef":{"hash":"aa","bytes":70000},"detailsRef":{"hash":"bb","bytes":70000}',
    ),
  ])
  const call = store.runs[0]?.transcript.calls.get('c1')
  if (!call) throw new Error('no call')
  expect(refsOf(call).map(({ hash }) => hash)).toEqual(['aa', 'bb'])
  expect(refsOf({ ...call, state: 'running' }).map(({ hash }) => hash)).toEqual(['aa', 'bb', 'cc'])
  const bodies = new Bodies(async (hash) => `"${hash}"`)
  expect(await bodies.whole(call)).toMatchObject({ id: 'c1', resultText: '"aa"', detailsText: '"bb"' })
  await expect(app.bodies.whole(call)).rejects.toThrow('GET /blobs/aa')
})
