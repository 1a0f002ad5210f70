import { useEffect, useRef } from 'react'
import { useApp } from './app'
import type { CommandId } from './keyTable'

interface Options {
  /** It cannot be done now. */
  off?: boolean
  /** It also runs while a dialog is open: its own. */
  inDialog?: boolean
}

/** Lends a command to palette and keys while the component is on the screen. */
export function useCommand(id: CommandId, run: () => void, { off = false, inDialog = false }: Options = {}): void {
  const { commands } = useApp()
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => {
    return off ? undefined : commands.lend(id, () => latest.current(), inDialog)
  }, [commands, id, off, inDialog])
}
