import { Verbatim } from '../ui/Verbatim'
import type { Token } from './tokens'

/** A line of code in its colours, with what would not be seen marked. */
export function Tokens({ tokens }: { tokens: readonly Token[] }) {
  return tokens.map(({ text, kind }, index) => (
    <span key={index} className={kind && `tok-${kind}`}>
      <Verbatim text={text} />
    </span>
  ))
}
