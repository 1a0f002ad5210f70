import { type Fields, fields, flag, number, text, word } from './decode'

/** Where run_command runs for every agent but the demo, and in which container if it is in one. */
export interface CommandPlace {
  in: 'host' | 'docker'
  image: string
  /** "1GB"; empty is no limit. */
  memory: string
  /** 0 is no limit. */
  pidsLimit: number
  network: 'none' | 'bridge' | 'host'
}

/** What came of a command that was run there to see whether it can. */
export interface CommandTest {
  ok: boolean
  message: string
}

export function commandPlace(of: Fields): CommandPlace {
  return {
    in: word(of, 'in', ['host', 'docker']),
    image: text(of, 'image'),
    memory: text(of, 'memory'),
    pidsLimit: number(of, 'pidsLimit'),
    network: word(of, 'network', ['none', 'bridge', 'host']),
  }
}

export function commandTest(of: Fields): CommandTest {
  return { ok: flag(of, 'ok'), message: text(of, 'message') || text(fields(of.error), 'message') }
}
