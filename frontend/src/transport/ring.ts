import { type Fields, number, optionalText, text } from './decode'
import type { Ring } from './transport'

/** Reads the payload of a doorbell. */
export function ring(of: Fields): Ring {
  return {
    runId: text(of, 'runId'),
    threadId: text(of, 'threadId'),
    last: number(of, 'last'),
    status: optionalText(of, 'status') ?? '',
    error: optionalText(of, 'error'),
    notice: optionalText(of, 'notice'),
    deleted: of.deleted === true || undefined,
  }
}
