import { useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'

/** The titles of the threads of what is listed; those the list of threads does not have just now are asked for. */
export function useThreadTitles(of: readonly { threadId: string }[]): Map<string, string> {
  const app = useApp()
  const { threads } = useCell(app.threads.state)
  const [asked, setAsked] = useState(new Map<string, string>())
  const titles = new Map([...asked, ...threads.map((thread) => [thread.id, thread.title] as const)])
  const missing = [...new Set(of.map((each) => each.threadId))].filter((id) => !titles.has(id)).join(' ')
  useEffect(() => {
    let wanted = true
    for (const id of missing.split(' ').filter(Boolean)) {
      const take = (title: string) => wanted && setAsked((before) => new Map(before).set(id, title))
      app.api.thread(id).then(
        (thread) => take(thread.title),
        () => take(''),
      )
    }
    return () => {
      wanted = false
    }
  }, [app, missing])
  return titles
}
