import Folder from 'lucide/dist/esm/icons/folder.mjs'
import { useEffect, useMemo } from 'react'
import { absence } from '../../state/absence'
import { useApp } from '../../state/app'
import { Cell, useCell } from '../../state/cell'
import type { AgentInfo } from '../../transport/agents'
import { isUnreadable, type StudioState, type ThreadChoice } from '../../transport/answers'
import { Button } from '../../ui/Button'
import { shortPath } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Spinner } from '../../ui/Spinner'
import { Composer } from '../thread/Composer'
import { StartCards } from './StartCards'
import { useBeforeSending } from './useBeforeSending'
import { useFolderPicker } from './useFolderPicker'

/** The key of the draft of a thread that is not made yet. */
export const newThread = 'new'

/** A thread that is made with its first message: its agent, folder and model, and the ways to begin. */
export function NewThread() {
  const app = useApp()
  const { phase, state, fault } = useCell(app.studio.cell)
  if (phase === 'loading') {
    return (
      <main className="flex min-w-0 flex-1 items-center justify-center gap-2 text-muted" aria-label="New thread">
        <Spinner /> Reading the Studio…
      </main>
    )
  }
  if (!state) {
    return (
      <main className="flex min-w-0 flex-1 flex-col items-center justify-center gap-3 p-8" aria-label="New thread">
        <p className="font-semibold">The Studio could not be read</p>
        <p className="max-w-[60ch] text-center text-muted [overflow-wrap:anywhere]">{fault}</p>
        <Button tone="primary" onClick={() => void app.studio.refresh()}>
          Try again
        </Button>
      </main>
    )
  }
  return <Begin state={state} />
}

function Begin({ state }: { state: StudioState }) {
  const app = useApp()
  const { phase, threads, query } = useCell(app.threads.state)
  const first = phase === 'ready' && threads.length === 0 && !query
  const choice = useCell(app.newChoice)
  const route = useCell(app.router.route)
  const draft = useMemo(() => app.drafts.of(newThread), [app])
  const none = useMemo(() => new Cell(''), [])
  const [picker, ask] = useBeforeSending()
  const override = state.overrideLabel
  // The first thread of a fresh machine is the demo's, unless a model was set that the demo is not written for.
  const demoFirst = first && override === undefined
  const agentName = choice.agentName ?? (demoFirst ? demoAgent(state) : '') ?? ''
  const full: ThreadChoice = { ...choice, agentName: agentName || state.settings.agentName }
  const agent = state.agents.find((each) => each.name === full.agentName)
  const folder = folderOf(state, full)
  useDemoMessage(draft, state.demoMessage, demoFirst, !isDemo(agent))

  const send = async (input: string) => {
    const needsFolder = agent?.needsFolder ?? true
    const folderMissing = needsFolder && (!folder || isUnreadable(await app.api.folders(folder)))
    const ready = await ask({ choice: full, folder, folderMissing })
    if (!ready.send) return false
    if (ready.folder) app.newChoice.set({ ...choice, folder: ready.folder })
    await app.begin(ready.folder ? { ...full, folder: ready.folder } : full, input)
    return true
  }
  return (
    <main className="flex min-w-0 flex-1 flex-col overflow-y-auto" aria-label="New thread">
      <div className="flex-1" />
      <div className="mx-auto flex w-full max-w-[55rem] flex-col gap-4 px-8 pt-8 pb-4">
        <h1 className="text-title font-semibold">{first ? 'Watch an agent work' : 'New thread'}</h1>
        {[first && about, override ? overridden(override) : first && isDemo(agent) ? aboutDemo : agent?.description]
          .filter((text) => text)
          .map((text) => (
            <p key={String(text)} className="max-w-[72ch] text-prose text-muted [overflow-wrap:anywhere]">
              {text}
            </p>
          ))}
        <StartCards state={state} first={first} />
      </div>
      <div className="mx-auto w-full max-w-[55rem]">
        {agent?.server ? null : (
          <FolderChoice state={state} choice={full} onChange={(folder) => app.newChoice.set({ ...choice, folder })} />
        )}
        {picker}
        <Composer
          draft={draft}
          queued={none}
          choice={full}
          absent={absence(state, full, false)}
          onChoice={(next) => app.newChoice.set({ ...choice, ...next })}
          onSend={send}
          onStop={() => undefined}
          autoFocus
          asked={route}
        />
      </div>
      <div className="flex-1" />
    </main>
  )
}

const about = 'Callboard shows every call an agent makes as it happens, and lets you approve what needs approving.'
const aboutDemo =
  'A demo is ready below: it runs on this machine, on a sample project of its own, with no key and no network.'

function overridden(label: string): string {
  return `Callboard was started with ${label}: it answers in every thread, whichever agent you choose.`
}

/** Whether an agent is the one that needs no model, and is here. */
function isDemo(agent: AgentInfo | undefined): boolean {
  return agent !== undefined && !agent.needsModel && !agent.server
}

/** The agent that needs no model, for a first thread. */
function demoAgent(state: StudioState): string | undefined {
  return state.agents.find((agent) => !agent.needsModel)?.name
}

/** The folder a new thread gets; empty for a fresh sample, or for none. */
function folderOf(state: StudioState, choice: ThreadChoice): string {
  const needsModel = state.agents.find((agent) => agent.name === choice.agentName)?.needsModel ?? true
  return choice.folder || state.folder || (needsModel ? state.settings.folder : '')
}

/** In a first thread types the demo's message, not sent, and takes it back when another agent is to answer. */
function useDemoMessage(draft: Cell<string>, message: string, first: boolean, needsModel: boolean): void {
  useEffect(() => {
    if (needsModel && draft.get() === message) draft.set('')
    else if (!needsModel && first && !draft.get()) draft.set(message)
  }, [draft, message, first, needsModel])
}

interface FolderChoiceProps {
  state: StudioState
  choice: ThreadChoice
  onChange: (folder: string | undefined) => void
}

function FolderChoice({ state, choice, onChange }: FolderChoiceProps) {
  const [picker, pick] = useFolderPicker()
  const agent = state.agents.find((each) => each.name === choice.agentName)
  const needsModel = agent?.needsModel ?? true
  const folder = folderOf(state, choice)
  const choose = async () => {
    const path = await pick(folder)
    if (path) onChange(path)
  }
  if (agent && needsModel && !agent.needsFolder) return null
  return (
    <div className="flex items-center gap-2 px-8 pb-2 text-small text-muted">
      <Icon node={Folder} size={14} />
      <span className="min-w-0 truncate" title={folder}>
        {folder || (needsModel ? 'No folder chosen' : 'A fresh copy of the sample project')}
      </span>
      {!folder && needsModel && state.lastFolder && (
        <Button small tone="ghost" title={state.lastFolder} onClick={() => onChange(state.lastFolder)}>
          <span className="max-w-80 truncate">Use {shortPath(state.lastFolder)}</span>
        </Button>
      )}
      <Button small tone="ghost" onClick={() => void choose()}>
        {folder || !needsModel ? 'Change…' : 'Choose…'}
      </Button>
      {choice.folder && (
        <Button small tone="ghost" onClick={() => onChange(undefined)}>
          Reset
        </Button>
      )}
      {picker}
    </div>
  )
}
