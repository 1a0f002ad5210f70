import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { App, AppContext } from '../state/app'
import type { ThreadStore } from '../state/threadStore'
import { ThreadContext } from '../state/useThread'
import { Toaster } from '../ui/Toaster'
import { afterOf, events, FakeTransport, ok } from './fake'

/** An app on a transport without a server, whose thread t1 has one run with a log that can grow. */
export async function openThread(log: string[], status = 'running', agentName = 'demo') {
  const transport = new FakeTransport()
  const run = { log, status }
  transport.on('GET /threads/t1/runs', () =>
    ok({ runs: [{ runId: 'r1', agentName, status: run.status, last: run.log.length, createdAt: 1 }] }),
  )
  transport.on('GET /runs/r1/events', (asked) => events(run.log, afterOf(asked), run.status))
  const app = new App(transport)
  const store = app.open('t1')
  await store.refresh()
  const ring = () => store.ring({ runId: 'r1', threadId: 't1', last: run.log.length, status: run.status })
  return { transport, app, store, run, ring }
}

/** Renders in the contexts a thread's rows stand in. */
export function renderIn(app: App, store: ThreadStore, children: ReactNode) {
  return render(
    <AppContext value={app}>
      <Toaster>
        <ThreadContext value={store}>{children}</ThreadContext>
      </Toaster>
    </AppContext>,
  )
}
