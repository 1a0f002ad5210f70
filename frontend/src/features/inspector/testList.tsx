import { createElement, type HTMLAttributes, type ReactNode } from 'react'

interface Props<T> extends Omit<HTMLAttributes<HTMLDivElement>, 'children'> {
  data: readonly T[]
  children: (item: T, index: number) => ReactNode
}

const passed = ['role', 'tabIndex', 'onKeyDown', 'aria-label', 'aria-activedescendant'] as const

/** Stands in for virtua where nothing is laid out: every item is drawn. */
function All<T>({ data, children, ...rest }: Props<T>) {
  const attributes = Object.fromEntries(passed.map((name) => [name, rest[name]]))
  return createElement('div', attributes, data.map(children))
}

export const lists = { VList: All, Virtualizer: All }
