import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { type Command, commandTable, groups, keyWords } from '../../state/keyTable'
import { Kbd } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'

const withKeys = commandTable.filter((each) => each.keys.length > 0)

/** Every key of the window, by what it is for. */
export function KeyboardDialog({ onClose }: { onClose: () => void }) {
  const singleKeys = useCell(useApp().commands.singleKeys)
  return (
    <Dialog open onClose={onClose} title="Keyboard" wide>
      <p className="pb-3 text-small text-muted">
        {singleKeys
          ? 'Single letters act only while the focus is in the list of rows, or in that of what waits. The settings switch them off.'
          : 'Single letters are switched off in the settings: they do nothing now.'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a stop in it nothing would scroll by keys */}
      <section aria-label="Keys" tabIndex={0} className="-m-2 columns-[18.75rem] gap-8 rounded-control p-2">
        {groups.map((group) => (
          <section key={group} aria-label={group} className="break-inside-avoid pb-4">
            <h3 className="pb-1 text-small font-semibold text-faint">{group}</h3>
            <dl>
              {withKeys
                .filter((each) => each.group === group)
                .map((each) => (
                  <div key={each.id} className="flex min-h-7 items-center justify-between gap-4">
                    <dt>{each.name}</dt>
                    <dd className="flex shrink-0 flex-wrap gap-1 text-muted">
                      <Keys command={each} />
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </section>
    </Dialog>
  )
}

function Keys({ command: { keys, onList } }: { command: Command }) {
  return [...keys, ...(onList ? [onList] : [])].map((key) => (
    <span key={key}>
      <span className="sr-only">{keyWords(key)}</span>
      <Kbd>{keyWords(key)}</Kbd>
    </span>
  ))
}
