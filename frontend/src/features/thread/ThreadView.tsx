import { useEffect, useState } from 'react'
import { absence } from '../../state/absence'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { chosenAgent } from '../../state/models'
import type { ThreadStore } from '../../state/threadStore'
import { ThreadContext } from '../../state/useThread'
import type { StudioThread, ThreadChoice } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { serverOf } from '../../transport/attached'
import { isLost } from '../../transport/transport'
import { Button } from '../../ui/Button'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import { toast } from '../../ui/toasts'
import { FindBar } from '../find/FindBar'
import { WithInspector } from '../inspector/InspectorPane'
import { PlaybackBar } from '../replay/PlaybackBar'
import { usePlaybackRoute } from '../replay/usePlaybackRoute'
import { useBeforeSending } from '../setup/useBeforeSending'
import { Composer } from './Composer'
import { Feed } from './Feed'
import { Header } from './Header'
import { StatusLine } from './StatusLine'
import { useAnnouncements } from './useAnnouncements'
import { useStopKeys } from './useStopKeys'

/** A thread: its header, its rows, what it does now, and where to write. */
export function ThreadView({ threadId }: { threadId: string }) {
  const app = useApp()
  const [store, setStore] = useState<ThreadStore>()
  useEffect(() => {
    setStore(app.open(threadId))
    return () => app.leave(threadId)
  }, [app, threadId])
  if (store?.threadId !== threadId) return null
  return (
    <ThreadContext value={store}>
      <div key={threadId} className="playback-frame flex min-w-0 flex-1 flex-col">
        <WithInspector store={store}>
          <Thread store={store} />
        </WithInspector>
        <PlaybackBar store={store} />
      </div>
    </ThreadContext>
  )
}

function Thread({ store }: { store: ThreadStore }) {
  const app = useApp()
  const { phase, fault, live } = useCell(store.state)
  const connection = useCell(app.connection)
  const [settings, settingsFault, change] = useSettings(store.threadId)
  const playback = useCell(store.playback)
  const arming = useStopKeys(playback ? undefined : live?.id)
  usePlaybackRoute(store)
  useAnnouncements(store)
  const [picker, ask] = useBeforeSending()
  const { state } = useCell(app.studio.cell)
  const absent =
    state && settings && !settings.tried ? absence(state, settings, settings.imported !== undefined) : undefined
  const send = async (input: string, deny: boolean) => {
    if (settings && !settings.tried && !deny) {
      const { folder, folderMissing } = settings
      const needsFolder = (state && chosenAgent(state, settings)?.needsFolder) || folder !== ''
      const ready = await ask({
        choice: settings,
        folder,
        folderMissing: !serverOf(settings.agentName) && needsFolder && (folderMissing || !folder),
      })
      if (!ready.send) return false
      if (ready.folder) await change({ folder: ready.folder })
    }
    await app.send(store.threadId, settings?.agentName ?? '', input, deny)
    app.commands.run('follow') // one wants to see what one said, and what comes of it
    return true
  }
  if (phase === 'failed') return <NotRead store={store} />
  return (
    <main className="flex min-w-0 flex-1 flex-col" aria-label="Thread">
      <Header threadId={store.threadId} settings={settings} live={live !== undefined} onChange={change} />
      {(fault || settingsFault) && !isLost(connection) && (
        <div className="px-8 pt-2">
          <Notice
            tone="err"
            actions={
              <Button small onClick={() => void store.refresh()}>
                Try again
              </Button>
            }
          >
            {fault?.message ?? settingsFault}
          </Notice>
        </div>
      )}
      <FindBar store={store} />
      <ErrorBoundary what="The thread" resetKey={store.threadId}>
        {phase === 'loading' ? (
          <p className="flex flex-1 items-center justify-center gap-2 text-muted">
            <Spinner /> Reading the thread…
          </p>
        ) : (
          <Feed store={store} />
        )}
      </ErrorBoundary>
      <StatusLine store={store} arming={arming} />
      <Composer
        draft={app.drafts.of(store.threadId)}
        queued={app.queued.of(store.threadId)}
        choice={settings?.tried ? undefined : settings}
        absent={absent}
        placeholder={settings?.tried && `Arguments of ${settings.tried.name}, as JSON`}
        live={live}
        autoFocus
        inertBecause={playback && 'This is playback. Go back to Live to write.'}
        onChoice={(choice) => void change(choice)}
        onSend={send}
        onStop={() => {
          if (live) app.stop(live.id)
        }}
      />
      {picker}
    </main>
  )
}

/** A thread of which nothing could be read. */
function NotRead({ store }: { store: ThreadStore }) {
  const app = useApp()
  const { fault } = useCell(store.state)
  return (
    <main
      className="flex min-w-0 flex-1 flex-col items-center justify-center gap-3 p-8 text-center"
      aria-label="Thread"
    >
      <h1 className="font-semibold">
        {fault?.code === 'NOT_FOUND' ? 'There is no such thread' : 'The thread could not be read'}
      </h1>
      <p className="max-w-[60ch] text-muted [overflow-wrap:anywhere]">{fault?.message}</p>
      <div className="flex gap-2">
        {fault?.code !== 'NOT_FOUND' && (
          <Button tone="primary" onClick={() => void store.refresh()}>
            Try again
          </Button>
        )}
        <Button onClick={() => app.router.go({ kind: 'new' })}>New thread</Button>
      </div>
    </main>
  )
}

type Settings = [StudioThread | undefined, string | undefined, (choice: ThreadChoice) => Promise<void>]

/** What the thread works with: agent, folder, model. */
function useSettings(threadId: string): Settings {
  const app = useApp()
  const [settings, setSettings] = useState<StudioThread>()
  const [fault, setFault] = useState<string>()
  const connection = useCell(app.connection)
  useEffect(() => {
    if (connection.state !== 'open') return
    let wanted = true
    app.api.thread(threadId).then(
      (answer) => {
        if (!wanted) return
        setSettings(answer)
        setFault(undefined)
      },
      (cause: unknown) => wanted && setFault(messageOf(cause)),
    )
    return () => {
      wanted = false
    }
  }, [app, threadId, connection.state])
  const change = async (choice: ThreadChoice) => {
    try {
      setSettings(await app.api.changeThread(threadId, choice))
      void app.threads.refresh()
    } catch (cause) {
      toast(messageOf(cause), 'err')
    }
  }
  return [settings, fault, change]
}
