import { type ComponentType, lazy, useEffect, useState } from 'react'
import { toast } from './toasts'

interface Closable {
  onClose?: () => void
}

/**
 * A component whose code is loaded when it is first shown, within a Suspense. Where it cannot be loaded, as without a connection, that
 * is said, what can be closed is closed, and the next time it is shown it is asked for again. `load` asks for it before it is shown,
 * and tells whether it is there.
 */
export function lazily<P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> & { load: () => Promise<boolean> } {
  const ask = () => {
    const part = load().catch(() => NotLoaded)
    return { Part: lazy(async () => ({ default: await part })), isThere: async () => (await part) !== NotLoaded }
  }
  let asked: ReturnType<typeof ask> | undefined
  const part = () => {
    asked ??= ask()
    return asked
  }
  const isThere = async (one: ReturnType<typeof ask>) => {
    const there = await one.isThere()
    if (!there && asked === one) asked = undefined
    return there
  }
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each part, where its module begins
  function Lazily(props: P) {
    const [shown] = useState(part)
    useEffect(() => void isThere(shown), [shown])
    return <shown.Part {...props} />
  }
  return Object.assign(Lazily, { load: () => isThere(part()) })
}

const words = 'This part of the page could not be loaded'

function NotLoaded({ onClose }: Closable) {
  useEffect(() => {
    toast(`${words}: try again once the connection is back`, 'err')
    onClose?.()
  }, [onClose])
  return onClose ? null : <p className="p-4 text-small text-err">{words}. Open it again once the connection is back.</p>
}
