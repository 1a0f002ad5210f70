import { fields, parse, text } from './decode'
import type { Answer } from './transport'

/** What a server said instead of an answer, in its own words. */
export class ApiError extends Error {
  readonly code: string
  /** The HTTP status; 0 when no answer came. */
  readonly status: number

  constructor(message: string, code: string, status: number) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = status
  }
}

/** The sentence to show for whatever was thrown. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** The text of an answer that is none of an error. */
export function said({ status, text: body }: Answer, what = 'The request'): string {
  if (status >= 200 && status < 300) return body
  const error = fields(fields(parse(body)).error)
  throw new ApiError(
    text(error, 'message') || `${what} was answered with status ${status}.`,
    text(error, 'code'),
    status,
  )
}
