import ArrowLeft from 'lucide/dist/esm/icons/arrow-left.mjs'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useApp } from '../../state/app'
import { ThreadContext } from '../../state/useThread'
import type { SourceTool, ToolSource } from '../../transport/tools'
import { Button } from '../../ui/Button'
import { ErrorBoundary } from '../../ui/ErrorBoundary'
import { duration } from '../../ui/format'
import { Keep } from '../../ui/kept'
import { Notice } from '../../ui/Notice'
import { Tabs } from '../../ui/Tabs'
import { ToolIcon } from '../../ui/ToolIcon'
import { Verbatim } from '../../ui/Verbatim'
import { Facts } from '../inspector/parts'
import { SchemaView } from './SchemaView'
import { Tries } from './Tries'
import { TryForm } from './TryForm'
import { useLive, useTries } from './useTries'

interface Props {
  source: ToolSource
  tool: SourceTool
  /** Its first try was made. */
  onTried: () => void
}

/** A tool: what is known of it, a form to try it, and what came of its tries. */
export function ToolView({ source, tool, onTried }: Props) {
  const app = useApp()
  const heading = useRef<HTMLHeadingElement>(null)
  const awaited = useRef(false)
  const [view, setView] = useState<'try' | 'schema'>(tool.callable ? 'try' : 'schema')
  const [began, setBegan] = useState(false)
  const [again, setAgain] = useState<{ text: string }>()
  const store = useTries(tool.threadId, tool.tried || began)
  const live = useLive(store)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const started = async () => {
    setBegan(true)
    awaited.current = true
    app.threads.unhide(tool.threadId)
    void app.threads.refresh()
    if (!tool.tried) onTried()
    await store?.refresh()
  }
  return (
    <div className="relative min-h-0 min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-[880px] flex-col gap-4 px-6 py-4">
        <header className="flex flex-col gap-3">
          <div className="flex items-center gap-2">
            <Button
              small
              tone="ghost"
              icon={ArrowLeft}
              className="@3xl:hidden"
              onClick={() => app.router.go({ kind: 'tools' })}
            >
              Tools
            </Button>
            <ToolIcon name={tool.icon} className="text-muted" />
            <h1 ref={heading} tabIndex={-1} className="min-w-0 truncate text-title font-semibold outline-none">
              <Verbatim text={tool.label || tool.name} />
            </h1>
            <span className="min-w-0 truncate text-small text-faint">{source.label}</span>
          </div>
          {tool.description && (
            <p className="max-w-[72ch] text-prose text-muted break-spaces">
              <Verbatim text={tool.description} />
            </p>
          )}
          {tool.fault ? (
            <Notice tone="wait">
              Agents are not offered this tool: <Verbatim text={tool.fault} />.{' '}
              {tool.callable && 'You can try it all the same: its arguments go out as you write them, unchecked.'}
            </Notice>
          ) : (
            !tool.callable && (
              <Notice>
                Only the agents of {source.label} can call it: that server does not let its clients call a tool alone.
              </Notice>
            )
          )}
          <Facts facts={facts(source, tool)} />
        </header>
        <div>
          <Tabs
            label="What to show"
            value={view}
            onChange={setView}
            tabs={[
              {
                value: 'try',
                label: 'Try it',
                disabledBecause: tool.callable ? undefined : 'It cannot be called here',
              },
              { value: 'schema', label: 'Schema' },
            ]}
          />
        </div>
        {view === 'schema' ? (
          <Keep name="schema">
            <SchemaView tool={tool} />
          </Keep>
        ) : (
          <ErrorBoundary what="The form">
            <TryForm source={source} tool={tool} live={live} again={again} onStarted={started} />
          </ErrorBoundary>
        )}
        {store && (
          <ThreadContext value={store}>
            <ErrorBoundary what="The tries">
              <Tries
                store={store}
                awaited={awaited}
                onAgain={(text) => {
                  setView('try')
                  setAgain({ text })
                }}
              />
            </ErrorBoundary>
          </ThreadContext>
        )}
      </div>
    </div>
  )
}

const approvals = {
  never: 'never waits for approval',
  always: 'every call waits for approval',
  arguments: 'its arguments decide whether a call waits',
}

function facts(source: ToolSource, tool: SourceTool): [string, ReactNode][] {
  const { name, toolName, label, category, tags, sideEffects, approval, timeoutMs, sandbox, callable } = tool
  const list: [string, ReactNode][] = []
  if (label && name !== label) list.push(['Name', <Mono key="name" text={name} />])
  if (callable && toolName !== name) list.push(['Agents call it', <Mono key="toolName" text={toolName} />])
  if (approval) list.push(['Approval', approvals[approval]])
  if (callable || approval) {
    list.push(['Side effects', sideEffects.length > 0 ? sideEffects.join(', ') : 'none declared'])
    list.push(['Time limit', timeoutMs > 0 ? duration(timeoutMs) : 'none of its own'])
  }
  if (sandbox) list.push(['Sandbox', sandbox])
  if (category) list.push(['Category', <Verbatim key="category" text={category} />])
  if (tags.length > 0) list.push(['Tags', <Verbatim key="tags" text={tags.join(', ')} />])
  if (source.off) list.push(['Agents', 'are not offered it: switched off in Settings'])
  return list
}

function Mono({ text }: { text: string }) {
  return (
    <code className="text-code">
      <Verbatim text={text} />
    </code>
  )
}
