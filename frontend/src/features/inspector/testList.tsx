import type { ReactNode } from 'react'

interface Props<T> {
  data: readonly T[]
  children: (item: T, index: number) => ReactNode
}

/** Stands in for virtua where nothing is laid out: every item is drawn. */
function All<T>({ data, children }: Props<T>) {
  return <div>{data.map(children)}</div>
}

export const lists = { VList: All, Virtualizer: All }
