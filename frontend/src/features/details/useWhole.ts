import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { Ref } from '../../protocol/events'
import type { Call } from '../../protocol/transcript'
import { useApp } from '../../state/app'
import { refsOf, withTexts } from '../../state/bodies'
import { messageOf } from '../../transport/apiError'

/** A call with all its texts, or what it takes to have them. */
export type Whole =
  | { call: Call }
  | { call?: undefined; refs: readonly Ref[]; fault: string | undefined; again: () => void }

interface Came {
  key: string
  texts?: ReadonlyMap<string, string>
  /** The call as it was when they came. */
  call?: Call
  fault?: string
}

/** Fetches what a call refers to. While newer progress is on its way, the call stays as it was drawn. */
export function useWhole(call: Call): Whole {
  const { bodies } = useApp()
  const refs = refsOf(call)
  const key = refs.map(({ hash }) => hash).join(' ')
  const [came, setCame] = useState<Came>()
  const [times, setTimes] = useState(0)
  const load = useEffectEvent(async (): Promise<Came> => {
    const texts = new Map<string, string>()
    await Promise.all(refs.map(async (ref) => texts.set(ref.hash, await bodies.load(ref))))
    return { key, texts, call: withTexts(call, texts) }
  })
  useEffect(() => {
    void times // asks once more
    if (key === '') return
    let closed = false
    load().then(
      (next) => closed || setCame(next),
      (cause: unknown) => closed || setCame({ key, fault: messageOf(cause) }),
    )
    return () => {
      closed = true
    }
  }, [key, times])
  const mine = came?.key === key ? came : undefined
  const { version } = call
  const whole = useMemo(() => {
    void version // the call changes in place
    return mine?.texts && withTexts(call, mine.texts)
  }, [call, version, mine])
  if (refs.length === 0) return { call }
  if (whole) return { call: whole }
  const before = came?.call
  if (!mine && before?.id === call.id && before.state === call.state) return { call: before }
  return { refs, fault: mine?.fault, again: () => setTimes((n) => n + 1) }
}
