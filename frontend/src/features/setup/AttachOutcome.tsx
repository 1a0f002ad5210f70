import Check from 'lucide/dist/esm/icons/check.mjs'
import CircleX from 'lucide/dist/esm/icons/circle-x.mjs'
import type { AttachedTest } from '../../transport/attached'
import { count, counted } from '../../ui/format'
import { Icon } from '../../ui/Icon'
import { Verbatim } from '../../ui/Verbatim'

/** So many names stand in a line; of the others it is said how many there are. */
const fewNames = 12

/** What came of asking a server: what it has, or what is wrong with it. */
export function AttachOutcome({ result: { ok, server, error } }: { result: AttachedTest }) {
  return (
    <div className="flex min-w-0 flex-col gap-1 text-small">
      <p role="status" className={`flex gap-2 ${ok ? 'text-ok' : 'text-err'}`}>
        <Icon node={ok ? Check : CircleX} />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <span className="font-semibold">{ok ? 'Works' : 'Failed'}: </span>
          {ok ? (
            `it has ${counted(server.agents.length, 'agent')} and ${counted(server.tools.length, 'tool')}.`
          ) : (
            <Verbatim text={error ?? 'it gave no reason.'} />
          )}
        </span>
      </p>
      {ok && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 pl-6 text-muted [overflow-wrap:anywhere]">
          {server.version && <Line name="Version" value={server.version} />}
          <Line name="Agents" value={some(server.agents) || 'none'} />
          <Line name="Tools" value={some(server.tools) || 'none'} />
        </dl>
      )}
      {ok && server.base && (
        <p className="pl-6 text-wait">
          It does not number its events: when a connection breaks, the run that is read over it ends here. One call of a
          run cannot be stopped alone.
        </p>
      )}
      {server.tokenFault && <p className="pl-6 text-wait [overflow-wrap:anywhere]">{server.tokenFault}</p>}
    </div>
  )
}

function some(names: readonly string[]): string {
  const more = names.length - fewNames
  if (more < 2) return names.join(', ')
  return `${names.slice(0, fewNames).join(', ')} and ${count(more)} more`
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="min-w-0 text-text">
        <Verbatim text={value} />
      </dd>
    </>
  )
}
