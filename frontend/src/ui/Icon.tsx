import clsx from 'clsx'
import type { IconNode } from 'lucide'
import { createElement } from 'react'

interface Props {
  node: IconNode
  className?: string
  /** Edge length in px, where the page has its usual size. */
  size?: number
  strokeWidth?: number
}

/** A Lucide icon. It says nothing to a screen reader: a word stands beside it or names its button. */
export function Icon({ node, className, size = 16, strokeWidth = 1.75 }: Props) {
  return (
    <svg
      aria-hidden="true"
      className={clsx('shrink-0', className)}
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={strokeWidth}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {node.map(([tag, attributes], index) => createElement(tag, { ...attributes, key: index }))}
    </svg>
  )
}
