import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { paneWidth } from '../../state/inspector'

interface Props {
  /** In px, as are the others. */
  width: number
  most: number
  onChange: (width: number) => void
}

const step = 16

/** The edge between the thread and the pane to its right: dragged, moved with the arrow keys, set back with a double click. */
export function Resizer({ width, most, onChange }: Props) {
  const grip = useRef<{ x: number; width: number }>(undefined)
  const set = (next: number) => onChange(Math.max(paneWidth.least, Math.min(next, most)))
  const grab = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    grip.current = { x: event.clientX, width }
  }
  const move = (event: PointerEvent) => {
    if (grip.current) set(grip.current.width + grip.current.x - event.clientX)
  }
  const release = () => {
    grip.current = undefined
  }
  const press = (event: KeyboardEvent) => {
    const next = keys.get(event.key)?.(width, most)
    if (next === undefined) return
    event.preventDefault()
    set(next)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a window splitter is a separator that takes the focus, which hr does not
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the inspector"
      aria-valuenow={Math.round(width)}
      aria-valuemin={paneWidth.least}
      aria-valuemax={Math.max(paneWidth.least, Math.round(most))}
      tabIndex={0}
      onPointerDown={grab}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={release}
      onDoubleClick={() => set(paneWidth.usual)}
      onKeyDown={press}
      className="absolute inset-y-0 -left-1.5 z-10 w-3 cursor-col-resize touch-none outline-none before:absolute before:inset-y-0 before:left-1 before:w-0.5 hover:before:bg-accent focus-visible:before:bg-accent"
    />
  )
}

const keys = new Map<string, (width: number, most: number) => number>([
  ['ArrowLeft', (width) => width + step],
  ['ArrowRight', (width) => width - step],
  ['Home', () => paneWidth.least],
  ['End', (_, most) => most],
])
