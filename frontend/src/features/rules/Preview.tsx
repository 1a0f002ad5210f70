import { useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import type { RuleDraft, RulePreview } from '../../transport/rules'
import { counted, when } from '../../ui/format'
import { Verbatim } from '../../ui/Verbatim'

export type Previewed =
  | { state: 'asking'; last?: RulePreview }
  | { state: 'known'; last: RulePreview }
  | { state: 'refused'; why: string }

/** So long nothing has to change, in ms, before the server is asked. */
const pause = 200

/** What a rule would say and would have allowed. */
export function usePreview(draft: RuleDraft): Previewed {
  const app = useApp()
  const [previewed, setPreviewed] = useState<Previewed>({ state: 'asking' })
  const body = JSON.stringify(draft)
  useEffect(() => {
    const asking = new AbortController()
    const parsed: RuleDraft = JSON.parse(body)
    setPreviewed((before) => ({ state: 'asking', ...('last' in before && { last: before.last }) }))
    const timer = setTimeout(() => {
      app.api.previewRule(parsed, asking.signal).then(
        (last) => !asking.signal.aborted && setPreviewed({ state: 'known', last }),
        (cause: unknown) => !asking.signal.aborted && setPreviewed({ state: 'refused', why: messageOf(cause) }),
      )
    }, pause)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [app, body])
  return previewed
}

/** The rule in words, which stands beside the button that saves it. */
export function RuleText({ preview }: { preview: Previewed }) {
  const last = preview.state === 'refused' ? undefined : preview.last
  return (
    <p aria-live="polite" className="max-h-24 w-full overflow-y-auto font-medium [overflow-wrap:anywhere]">
      {last && <Verbatim text={last.text} />}
    </p>
  )
}

/** The past calls a rule would have allowed. */
export function Preview({ preview, toolName }: { preview: Previewed; toolName: string }) {
  if (preview.state === 'refused') {
    return (
      <p role="alert" className="text-small text-err [overflow-wrap:anywhere]">
        <Verbatim text={preview.why} />
      </p>
    )
  }
  const { last } = preview
  if (!last) return <p className="text-small text-faint">Looking at past calls…</p>
  const { total, asked, matches } = last
  return (
    <section aria-label="What the rule allows" aria-busy={preview.state === 'asking'} className="flex flex-col gap-2">
      <p className="tnum text-small text-muted">
        {asked === 0
          ? `There are no past calls of ${toolName}.`
          : `It would have allowed ${total} of ${counted(asked, 'past call')}.`}
      </p>
      {matches.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <ul tabIndex={0} aria-label="Past calls" className="flex max-h-40 flex-col gap-1 overflow-y-auto">
          {matches.map((match) => (
            <li key={`${match.runId} ${match.toolCallId}`} className="flex items-baseline gap-2 text-small">
              <code className="min-w-0 flex-1 truncate text-code" title={match.argumentsText}>
                <Verbatim text={match.argumentsText} />
              </code>
              <span className="shrink-0 text-faint">{match.state}</span>
              <span className="tnum shrink-0 text-faint">{when(match.at, Date.now())}</span>
            </li>
          ))}
        </ul>
      )}
      {total > matches.length && matches.length > 0 && (
        <p className="text-small text-faint">These are the newest {matches.length}.</p>
      )}
    </section>
  )
}
