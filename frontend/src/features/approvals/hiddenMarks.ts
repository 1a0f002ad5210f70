import {
  Decoration,
  type DecorationSet,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view'
import { hidingPattern, visiblePieces } from '../../protocol/text'

class Code extends WidgetType {
  readonly #text: string

  constructor(text: string) {
    super()
    this.#text = text
  }

  override eq(other: Code): boolean {
    return other.#text === this.#text
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement('mark')
    mark.className = 'escaped'
    mark.title = 'Drawn as its code: it would not be seen as it is'
    mark.textContent = this.#text
    return mark
  }
}

const decorator = new MatchDecorator({
  regexp: new RegExp(hidingPattern), // its own: a search keeps its place in the pattern
  decorate: (add, from, to, [found]) => {
    const [piece] = visiblePieces(found)
    if (piece?.mark) add(from, to, Decoration.replace({ widget: new Code(piece.text) }))
  },
})

/** Draws what hides or reorders text as its code, as the rest of the window does; the text itself stays as it is. */
export const hiddenMarks = ViewPlugin.fromClass(
  class {
    marks: DecorationSet

    constructor(view: EditorView) {
      this.marks = decorator.createDeco(view)
    }

    update(update: ViewUpdate): void {
      this.marks = decorator.updateDeco(update, this.marks)
    }
  },
  {
    decorations: (plugin) => plugin.marks,
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.marks ?? Decoration.none),
  },
)
