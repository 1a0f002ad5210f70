import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { hiddenMarks } from './hiddenMarks'

interface Props {
  label: string
  /** What the editor begins with; later changes of it are not taken. */
  initial: string
  onChange: (text: string) => void
}

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--bg)', color: 'var(--text)', fontSize: '0.75rem', maxHeight: '320px' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.125rem', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--faint)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 30%, transparent) !important',
  },
})

const colors = HighlightStyle.define(
  defaultHighlightStyle.specs.map((spec) => ({ ...spec, color: spec.color && 'var(--accent)' })),
)

/** Edits JSON as text: what is typed is what is kept. */
export default function ArgumentsEditor({ label, initial, onChange }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const start = useRef({ initial, label })
  const changed = useRef(onChange)
  changed.current = onChange
  useEffect(() => {
    if (!box.current) return
    const view = new EditorView({
      parent: box.current,
      state: EditorState.create({
        doc: start.current.initial,
        extensions: [
          lineNumbers(),
          history(),
          hiddenMarks,
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          EditorView.lineWrapping,
          json(),
          syntaxHighlighting(colors),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': start.current.label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString())
          }),
          theme,
        ],
      }),
    })
    view.focus()
    return () => view.destroy()
  }, [])
  return <div ref={box} className="overflow-hidden rounded-control border border-faint focus-within:border-accent" />
}
