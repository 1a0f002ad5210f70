import { Tabs } from '@base-ui/react/tabs'
import X from 'lucide/dist/esm/icons/x.mjs'
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { type InspectorTab, inspectorTabs, type Selection } from '../../state/inspector'
import type { RunView, ThreadStore } from '../../state/threadStore'
import { IconButton } from '../../ui/Button'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { timeOfDay } from '../../ui/format'
import { Select } from '../../ui/Select'
import { CallTab } from './CallTab'
import { EventsTab } from './EventsTab'
import { HistoryTab } from './HistoryTab'
import { Empty } from './parts'
import { RawTab } from './RawTab'
import { Timeline } from './Timeline'

const words: Record<InspectorTab, string> = {
  timeline: 'Timeline',
  call: 'Call',
  raw: 'Raw',
  events: 'Events',
  history: 'History',
}

export interface TabProps {
  store: ThreadStore
  run: RunView
  selected: Selection | undefined
}

/** What happened in a run and what was sent and read for it, by tabs. */
export function Inspector({ store, onClose }: { store: ThreadStore; onClose: () => void }) {
  const { inspector } = useApp()
  const tab = useCell(inspector.tab)
  const [run, selected] = useRunInView(store)
  const unread = useSyncExternalStore(store.subscribe, () => run?.unread ?? false)
  return (
    <>
      <header className="flex h-11 shrink-0 items-center gap-2 border-b border-border pr-2 pl-4">
        <h2 className="shrink-0 font-semibold">Run inspector</h2>
        <span className="flex-1" />
        {run && <RunChoice store={store} run={run} />}
        <IconButton icon={X} label="Close the inspector (Ctrl I)" onClick={onClose} />
      </header>
      <Tabs.Root
        value={tab}
        onValueChange={(next: InspectorTab) => inspector.tab.set(next)}
        className="flex min-h-0 flex-1 flex-col"
      >
        <Tabs.List activateOnFocus className="flex h-9 shrink-0 gap-1 border-b border-border px-2">
          {inspectorTabs.map((name) => (
            <Tabs.Tab
              key={name}
              value={name}
              className="-mb-px border-b-2 border-transparent px-2 text-small text-muted hover:text-text data-active:border-accent data-active:text-text"
            >
              {words[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {inspectorTabs.map((name) => (
          <Tabs.Panel key={name} value={name} className="flex min-h-0 flex-1 flex-col">
            <ErrorBoundary what={words[name]} resetKey={`${run?.id} ${selected?.callId}`}>
              {!run ? (
                <Empty>Nothing has run in this thread yet.</Empty>
              ) : unread ? (
                <Empty>{run.fault === undefined ? 'The run is still being read.' : 'The run could not be read.'}</Empty>
              ) : (
                panel(name, { store, run, selected })
              )}
            </ErrorBoundary>
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </>
  )
}

function panel(tab: InspectorTab, props: TabProps): ReactNode {
  switch (tab) {
    case 'timeline':
      return <Timeline {...props} />
    case 'call':
      return <CallTab {...props} />
    case 'raw':
      return <RawTab key={props.run.id} {...props} />
    case 'events':
      return <EventsTab key={props.run.id} {...props} />
    case 'history':
      return <HistoryTab {...props} />
    default:
      tab satisfies never
      return null
  }
}

/** The run of what is selected, else the newest. A run that begins takes the view. */
function useRunInView(store: ThreadStore): [RunView | undefined, Selection | undefined] {
  const { inspector } = useApp()
  const selected = useCell(inspector.selected)
  const newest = useSyncExternalStore(store.rows.subscribe, () => store.runs.at(-1))
  const newestId = newest?.id
  const before = useRef(newestId)
  useEffect(() => {
    if (before.current !== newestId && inspector.selected.get()?.runId !== newestId) inspector.selected.set(undefined)
    before.current = newestId
  }, [inspector, newestId])
  const run = store.runs.find(({ id }) => id === selected?.runId) ?? newest
  return [run, selected?.runId === run?.id ? selected : undefined]
}

function RunChoice({ store, run }: { store: ThreadStore; run: RunView }) {
  const { inspector } = useApp()
  const { runs } = store
  if (runs.length < 2) return null
  return (
    <Select
      label="Run"
      quiet
      value={run.id}
      options={runs.map(({ id, createdAt }, index) => ({
        value: id,
        label: `Run ${index + 1} of ${runs.length}, ${timeOfDay(createdAt)}`,
      }))}
      onChange={(runId) => inspector.selected.set({ runId, turn: 0 })}
    />
  )
}
