import { Suspense, useEffect, useState } from 'react'
import { InboxDialog } from '../features/inbox/InboxDialog'
import { Over } from '../features/palette/Over'
import { NewThread } from '../features/setup/NewThread'
import { SettingsDialog } from '../features/setup/SettingsDialog'
import { ShareDialog } from '../features/share/ShareDialog'
import { ThreadView } from '../features/thread/ThreadView'
import { Sidebar } from '../features/threads/Sidebar'
import { OpenLink } from '../markdown/OpenLink'
import { type App, AppContext } from '../state/app'
import { useCell } from '../state/cell'
import type { Route } from '../state/route'
import { ErrorBoundary } from '../ui/ErrorBoundary'
import { lazily } from '../ui/lazily'
import { Toaster } from '../ui/Toaster'
import { ConnectionBar, RestartBar } from './Bars'
import { WindowCommands } from './keys/WindowCommands'
import { LinkDialog } from './LinkDialog'
import { QuitDialog } from './QuitDialog'
import { TopBar } from './TopBar'
import { useMenuBar } from './useMenuBar'
import { useOpenings } from './useOpenings'
import { useTheme } from './useTheme'
import { useThreadsPane } from './useThreadsPane'

const ToolsPage = lazily(async () => (await import('../features/tools/ToolsPage')).default)
const SearchPage = lazily(async () => (await import('../features/search/SearchPage')).SearchPage)

/** The window: the list of threads and the one that is open. */
export function Window({ app }: { app: App }) {
  const route = useCell(app.router.route)
  const studio = useCell(app.studio.cell)
  const [sidebar, toggleSidebar] = useThreadsPane(app)
  const [link, setLink] = useState<string>()
  useEffect(() => app.start(), [app])
  useTheme(studio.state?.settings.theme, app.transport.host)
  useOpenings(app)
  useMenuBar(app)
  return (
    <AppContext value={app}>
      <OpenLink value={setLink}>
        <Toaster>
          <div className="flex h-full flex-col">
            <WindowCommands onToggleSidebar={toggleSidebar} />
            <TopBar onToggleSidebar={toggleSidebar} />
            <ConnectionBar />
            <RestartBar />
            <div className="relative flex min-h-0 flex-1">
              {sidebar && (
                <ErrorBoundary what="The list of threads">
                  <Sidebar />
                </ErrorBoundary>
              )}
              <ErrorBoundary what="This view" resetKey={JSON.stringify(route)}>
                <Shown route={route} />
              </ErrorBoundary>
            </div>
          </div>
          <SettingsDialog />
          <InboxDialog />
          <ShareDialog />
          <Over />
          <LinkDialog address={link} onOpen={app.transport.host.openExternal} onClose={() => setLink(undefined)} />
          <QuitDialog closing={app.transport.host.closing} />
          <LiveRegion app={app} />
        </Toaster>
      </OpenLink>
    </AppContext>
  )
}

function Shown({ route }: { route: Route }) {
  switch (route.kind) {
    case 'thread':
      return <ThreadView threadId={route.threadId} />
    case 'tools':
      return (
        <Suspense fallback={<main aria-label="Tools" className="flex-1" />}>
          <ToolsPage tool={route.tool} />
        </Suspense>
      )
    case 'search':
      return (
        <Suspense fallback={<main aria-label="Search all threads" className="flex-1" />}>
          <SearchPage asked={route.asked} />
        </Suspense>
      )
    case 'new':
      return <NewThread />
    default:
      route satisfies never
      return null
  }
}

/** What a screen reader hears of what happens, a sentence at a time. */
function LiveRegion({ app }: { app: App }) {
  const said = useCell(app.announcer.said)
  return (
    <div aria-live="polite" role="status" className="sr-only">
      {said}
    </div>
  )
}
