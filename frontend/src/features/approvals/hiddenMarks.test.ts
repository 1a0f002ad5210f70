import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { expect, it } from 'vitest'
import { hiddenMarks } from './hiddenMarks'

it('marks in the editor what the card marks, and leaves the text as it is', () => {
  const doc = `{"command":"echo safe\u200b \u202etxt.exe\u001b[31m${' '.repeat(500)}; rm -rf x 👩‍💻"}`
  const view = new EditorView({ state: EditorState.create({ doc, extensions: hiddenMarks }), parent: document.body })
  expect([...view.dom.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual([
    '\\u200b',
    '\\u202e',
    '\\u001b',
    '⟨500 spaces⟩',
  ])
  expect(view.state.doc.toString()).toBe(doc)
  view.dispatch({ changes: { from: 12, insert: '\u2066' } })
  expect(view.dom.querySelector('mark')?.textContent).toBe('\\u2066')
  view.destroy()
})
