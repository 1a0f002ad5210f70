import { expect, it, vi } from 'vitest'
import type { App } from '../../state/app'
import {
  approval,
  approvalRequired,
  call,
  done,
  event,
  finish,
  message,
  result,
  start,
  state,
  turn,
} from '../../test/logs'
import { openThread, renderIn } from '../../test/thread'
import { useAnnouncements } from './useAnnouncements'

type Store = Awaited<ReturnType<typeof openThread>>['store']

function Announced({ store }: { store: Store }) {
  useAnnouncements(store)
  return null
}

function hear(app: App): string[] {
  const said: string[] = []
  app.announcer.said.subscribe(() => app.announcer.said.get() && said.push(app.announcer.said.get()))
  return said
}

const frames = () => new Promise((resolve) => setTimeout(resolve, 60))

it('F10 200 deltas say nothing; what waits, ends and fails is said once', async () => {
  const { app, store, run, ring } = await openThread([start(), message('Go.'), turn(1)])
  const said = hear(app)
  renderIn(app, store, <Announced store={store} />)
  for (let i = 0; i < 200; i++) run.log.push(event('text-delta', { id: 't', delta: `word ${i} ` }))
  ring()
  await frames()
  expect(said).toEqual([])
  run.log.push(...done('c1', 'read_file'), ...call('c2', 'read_file', '{}'), result('c2', { error: 'no' }))
  ring()
  await vi.waitFor(() => expect(said.join('. ')).toContain('2 calls finished, 1 failed'))
  run.log.push(...call('c3', 'deploy', '{}', { label: 'Deploy' }), state('c3', 'waiting'))
  run.log.push(approvalRequired(approval('c3', '{}')), finish('paused'))
  ring()
  await vi.waitFor(() => expect(said.join('. ')).toContain('Deploy needs approval'))
  run.log.push(start(), state('c3', 'approved'), state('c3', 'running'), result('c3'), finish())
  ring()
  await vi.waitFor(() => expect(said.join('. ')).toContain('The agent replied'))
  expect(said.join('. ').match(/needs approval/g)).toHaveLength(1)
}, 60_000)

it('what a thread brings along when it is opened is not news', async () => {
  const { app, store } = await openThread(
    [start(), message('Go.'), turn(1), ...done('c1', 'read_file'), finish()],
    'completed',
  )
  const said = hear(app)
  renderIn(app, store, <Announced store={store} />)
  await new Promise((resolve) => setTimeout(resolve, 1300))
  expect(said).toEqual([])
})
