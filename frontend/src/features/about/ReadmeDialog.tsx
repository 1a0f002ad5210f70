import readme from '../../../../README.md?raw'
import { Markdown } from '../../markdown/Markdown'
import { Dialog } from '../../ui/Dialog'
import { readable } from './readme'

const text = readable(readme)

/** How Callboard is used, as its authors wrote it. */
export default function ReadmeDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title="README" wide>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a stop in it nothing would scroll by keys */}
      <section aria-label="README" tabIndex={0} className="[&_pre]:whitespace-pre-wrap">
        <Markdown text={text} />
      </section>
    </Dialog>
  )
}
