import clsx from 'clsx'
import type { IconNode } from 'lucide'
import { type ReactNode, useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import { useAskedDelete } from '../../ui/askedDelete'
import { Button } from '../../ui/Button'
import { Icon } from '../../ui/Icon'
import { Spinner } from '../../ui/Spinner'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'

/** How often, in ms, servers that are not ready yet are looked at. */
const pace = 1000

/** Looks at the servers again while one of them is on its way. */
export function useLookedAt(onItsWay: boolean, servers: readonly unknown[]): void {
  const app = useApp()
  useEffect(() => {
    if (!onItsWay || servers.length === 0) return
    const timer = setTimeout(() => void app.studio.refresh(), pace)
    return () => clearTimeout(timer)
  }, [onItsWay, servers, app])
}

/** Does something to a server, says what went wrong, and reads how all is now. */
export function useAct(): (what: () => Promise<unknown>) => Promise<void> {
  const app = useApp()
  return async (what) => {
    try {
      await what()
    } catch (cause) {
      toast(messageOf(cause), 'err')
    }
    await app.studio.refresh()
  }
}

interface Props<R> {
  name: string
  /** How it is; absent where that goes without saying. */
  state?: StateWord
  /** Beside its state. */
  control?: ReactNode
  /** Where it is, or how it is started. */
  way: string
  error?: string
  /** What else is wrong with it. */
  wrong?: ReactNode
  /** What it has. */
  has: ReactNode
  /** What is asked before it is deleted. */
  question: string
  onTest: () => Promise<R>
  onEdit: () => void
  onDelete: () => Promise<unknown>
  /** What is opened under it. */
  children?: ReactNode
  /** What came of its test. */
  outcome: (result: R) => ReactNode
}

/** A server that is set up: how it is, and what can be done with it. */
export function ServerItem<R>(props: Props<R>) {
  const { name, state, control, way, error, wrong, has, question, onTest, onEdit, onDelete, children, outcome } = props
  const act = useAct()
  const [testing, setTesting] = useState(false)
  const [result, setResult] = useState<R>()
  const test = async () => {
    setTesting(true)
    setResult(undefined)
    await act(async () => setResult(await onTest()))
    setTesting(false)
  }
  const { button, asking } = useAskedDelete({ name, question, onDelete: () => act(onDelete) })
  return (
    <li className="flex min-w-0 flex-col gap-1 rounded-block border border-border px-3 py-2">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
        {state && <State {...state} />}
        {control}
      </div>
      <code className="truncate text-code text-muted" title={way}>
        <Verbatim text={way} />
      </code>
      {error && !result && (
        <p className="text-small text-err [overflow-wrap:anywhere]">
          <Verbatim text={error} />
        </p>
      )}
      {wrong}
      <div className="flex flex-wrap items-center gap-2">
        {has}
        <span className="flex-1" />
        <Button small aria-label={`Test ${name}`} busy={testing} onClick={() => void test()}>
          Test
        </Button>
        <Button small aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        {button}
      </div>
      {children}
      {asking}
      {result && outcome(result)}
    </li>
  )
}

/** How a server is, in a word; without an icon it is on its way. */
export interface StateWord {
  word: string
  tone: string
  icon: IconNode | undefined
}

function State({ word, tone, icon }: StateWord) {
  return (
    <span className={clsx('flex shrink-0 items-center gap-1 text-small', tone)}>
      {icon ? <Icon node={icon} size={14} /> : <Spinner size={14} />}
      {word}
    </span>
  )
}
