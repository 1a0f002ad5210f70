import { type ComponentType, use, useEffect } from 'react'
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
  let asked: Promise<ComponentType<P>> | undefined
  const forget = () => {
    asked = undefined
  }
  const part = () => {
    asked ??= load().catch(() => NotLoaded)
    return asked
  }
  // biome-ignore lint/correctness/noComponentHookFactories: made once for each part, where its module begins
  function Lazily(props: P) {
    const Part = use(part())
    useEffect(() => (Part === NotLoaded ? forget : undefined), [Part])
    return <Part {...props} />
  }
  return Object.assign(Lazily, {
    load: async () => {
      const there = (await part()) !== NotLoaded
      if (!there) forget()
      return there
    },
  })
}

const words = 'This part of the page could not be loaded'

function NotLoaded({ onClose }: Closable) {
  useEffect(() => {
    toast(`${words}: try again once the connection is back`, 'err')
    onClose?.()
  }, [onClose])
  return onClose ? null : <p className="p-4 text-small text-err">{words}. Open it again once the connection is back.</p>
}
