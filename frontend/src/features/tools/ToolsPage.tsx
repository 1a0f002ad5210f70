import { useCallback, useEffect, useRef } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import type { SourceTool, ToolSource } from '../../transport/tools'
import { Button } from '../../ui/Button'
import { Notice } from '../../ui/Notice'
import { Spinner } from '../../ui/Spinner'
import { useAnswer } from '../inspector/useAnswer'
import { ToolList } from './ToolList'
import { ToolView } from './ToolView'

/** A tool of a source, as the address names it. */
export interface ToolName {
  source: string
  name: string
}

/** So often, in ms, the tools are asked for while a server is starting. */
const soon = 1000

/** Every tool of every source, and one of them to be tried. In a narrow window one of both is shown. */
export default function ToolsPage({ tool }: { tool?: ToolName }) {
  const app = useApp()
  const { state } = useCell(app.studio.cell)
  const connection = useCell(app.connection)
  // What is set up in the settings changes what there is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again for a change of either
  const ask = useCallback(() => app.api.toolSources(), [app, state, connection.state])
  const asked = useAnswer('tools', ask)
  const { value: sources, again } = asked
  const starting = sources?.some((source) => source.state === 'starting') ?? false
  useEffect(() => {
    if (!starting) return
    const timer = setInterval(again, soon)
    return () => clearInterval(timer)
  }, [starting, again])
  const cameFrom = useRef<ToolName>(undefined)
  useEffect(() => {
    if (tool) cameFrom.current = tool
  }, [tool])
  const found = sources && tool && find(sources, tool)
  const Title = tool ? 'h2' : 'h1'
  return (
    <main aria-label="Tools" className="@container flex min-w-0 flex-1">
      <div
        className={
          tool
            ? 'hidden min-h-0 w-72 shrink-0 flex-col border-r border-border @3xl:flex'
            : 'flex min-h-0 min-w-0 flex-1 flex-col border-border @3xl:w-72 @3xl:flex-none @3xl:border-r'
        }
      >
        <Title className="px-4 pt-3 pb-2 text-title font-semibold">Tools</Title>
        {asked.fault !== undefined && (
          <div className="px-3 pb-2">
            <Notice
              tone="err"
              actions={
                <Button small busy={asked.busy} onClick={again}>
                  Try again
                </Button>
              }
            >
              The tools could not be read: {asked.fault}
            </Notice>
          </div>
        )}
        {sources ? (
          <ToolList sources={sources} current={tool} last={cameFrom.current} onAgain={again} />
        ) : (
          asked.fault === undefined && (
            <p className="flex items-center gap-2 px-4 text-small text-muted">
              <Spinner size={14} /> Reading the tools…
            </p>
          )
        )}
      </div>
      {found ? (
        <ToolView key={found.tool.threadId} source={found.source} tool={found.tool} onTried={again} />
      ) : tool ? (
        <Absent tool={tool} sources={sources} />
      ) : (
        <p className="hidden flex-1 items-center justify-center p-8 text-center text-muted @3xl:flex">
          Choose a tool to see what it takes, and to try it.
        </p>
      )}
    </main>
  )
}

/** What stands for a tool that is not there, or not there yet. */
function Absent({ tool, sources }: { tool: ToolName; sources?: ToolSource[] }) {
  const app = useApp()
  const source = sources?.find(({ id }) => id === tool.source)
  const coming = !sources || source?.state === 'starting'
  return (
    <div className="flex min-w-0 flex-1 flex-col items-center justify-center gap-3 p-8 text-center">
      {coming ? (
        <p className="flex items-center gap-2 text-muted">
          <Spinner /> {source ? `${source.label} is starting…` : 'Reading the tools…'}
        </p>
      ) : (
        <>
          <h1 className="font-semibold [overflow-wrap:anywhere]">There is no tool {tool.name} here</h1>
          <p className="max-w-[60ch] text-muted [overflow-wrap:anywhere]">
            {source
              ? `${source.label} does not list it${source.fault ? `: ${source.fault}` : '.'}`
              : 'Its source is gone.'}
          </p>
          <Button onClick={() => app.router.go({ kind: 'tools' })}>All tools</Button>
        </>
      )}
    </div>
  )
}

function find(sources: readonly ToolSource[], { source: id, name }: ToolName): Found | undefined {
  const source = sources.find((each) => each.id === id)
  const tool = source?.tools.find((each) => each.name === name)
  return source && tool && { source, tool }
}

interface Found {
  source: ToolSource
  tool: SourceTool
}
