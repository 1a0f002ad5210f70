import { type ReactNode, useEffect, useState } from 'react'
import type { Call } from '../../protocol/transcript'
import { counted } from '../../ui/format'
import { Keep } from '../../ui/kept'
import { bytesOf } from '../../ui/save'
import { Verbatim } from '../../ui/Verbatim'
import { whoDecided } from '../call/status'
import { Arguments } from '../details/Arguments'
import { BlockFrame } from '../details/BlockFrame'
import { Section } from './parts'
import { exactMoment } from './words'

/** A call's arguments from the model to the tool: as proposed, as asked for, as decided, as run, with their hashes. */
export function CallArguments({ call }: { call: Call }) {
  const { approval } = call
  const asked = call.waitingAt !== undefined || approval !== undefined
  const decided = call.decidedAt !== undefined
  const ran = call.runningAt !== undefined
  const proposed = call.proposedText
  const put = approval?.argumentsText || proposed
  return (
    <Section title="Arguments">
      <ol className="flex flex-col gap-3">
        <Step name="Proposed by the model" at={call.startedAt}>
          <Keep name="proposed">
            <Text title="Proposed arguments" text={proposed} />
          </Keep>
          <Hash text={proposed} />
        </Step>
        {asked && (
          <Step
            name={approval?.kind === 'unknown' ? 'Asked what to do with it' : 'Asked of a person'}
            at={call.waitingAt}
          >
            <Keep name="asked">
              {put === proposed ? <Same /> : <Text title="Arguments as they were asked for" text={put} />}
            </Keep>
            {put !== proposed && <Hash text={put} />}
          </Step>
        )}
        {decided && (
          <Step name={decisionWord(call)} at={call.decidedAt}>
            {call.reason && (
              <p className="break-spaces">
                <Verbatim text={`“${call.reason}”`} />
              </p>
            )}
            {call.argumentsHash && <Hash told={call.argumentsHash} text={call.argumentsText} />}
          </Step>
        )}
        {ran && (
          <Step name="Run with" at={call.runningAt}>
            <Keep name="ran">
              {call.argumentsText === proposed ? (
                <Same />
              ) : (
                <Text title="Arguments it ran with" text={call.argumentsText} />
              )}
            </Keep>
            {call.argumentsText !== proposed && <Hash text={call.argumentsText} />}
          </Step>
        )}
      </ol>
    </Section>
  )
}

function decisionWord(call: Call): string {
  if (call.state === 'expired') return 'Nobody decided in time'
  const who = whoDecided(call.by)
  if (call.state === 'denied') return `Denied by ${who}`
  return call.argumentsReplaced ? `Edited and approved by ${who}` : `Approved by ${who}`
}

function Step({ name, at, children }: { name: string; at?: number; children?: ReactNode }) {
  return (
    <li className="flex flex-col gap-1.5 border-l-2 border-border pl-3 text-small">
      <p className="flex gap-2">
        <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{name}</span>
        <span className="tnum shrink-0 text-faint">{at === undefined ? '' : exactMoment(at)}</span>
      </p>
      {children}
    </li>
  )
}

function Same() {
  return <p className="text-muted">The same text, byte for byte.</p>
}

function Text({ title, text }: { title: string; text: string }) {
  if (!text) return <p className="text-muted">Nothing was written.</p>
  return (
    <BlockFrame title={title} copyText={text} file={{ name: 'arguments.json' }} raw={text}>
      {() => <Arguments text={text} />}
    </BlockFrame>
  )
}

/** The SHA-256 of a text; beside one that was told, whether they are the same. */
function Hash({ text, told }: { text: string; told?: string }) {
  const computed = useSha256(text)
  const hash = told ?? computed
  if (!hash) return null
  return (
    <p className="text-faint [overflow-wrap:anywhere]">
      {counted(bytesOf(text), 'byte')}, SHA-256 <code className="text-code">{hash}</code>
      {told && computed && (
        <span className={told === computed ? 'text-ok' : 'text-err'}>
          {told === computed ? ' is that of the text it runs with' : ' is not that of the text it runs with'}
        </span>
      )}
    </p>
  )
}

/** The hex SHA-256 of a text's UTF-8; undefined until it is computed, and on pages whose browser computes none. */
function useSha256(text: string): string | undefined {
  const [hashed, setHashed] = useState<{ text: string; hash: string }>()
  useEffect(() => {
    let wanted = true
    const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle // only where the page's address is trusted
    void subtle?.digest('SHA-256', new TextEncoder().encode(text)).then((digest) => {
      const hash = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
      if (wanted) setHashed({ text, hash })
    })
    return () => {
      wanted = false
    }
  }, [text])
  return hashed?.text === text ? hashed.hash : undefined
}
