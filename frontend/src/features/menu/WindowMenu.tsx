import { Menu as Base } from '@base-ui/react/menu'
import clsx from 'clsx'
import Check from 'lucide/dist/esm/icons/check.mjs'
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs'
import { Fragment, type ReactElement, useRef } from 'react'
import { useApp } from '../../state/app'
import { useCell } from '../../state/cell'
import { type CommandId, keyWords } from '../../state/keyTable'
import { type MenuEntry, menusNow } from '../../state/menuTable'
import { Kbd } from '../../ui/Button'
import { Icon } from '../../ui/Icon'

interface Props {
  open: boolean
  onOpenChange: (open: boolean) => void
  trigger: ReactElement
  /** Where the focus was before a key opened the menu. */
  focusBefore: () => HTMLElement | undefined
}

const popup =
  'max-h-(--available-height) max-w-[calc(100vw-1rem)] overflow-y-auto rounded-block border border-border bg-raised p-1 text-small shadow-popover outline-none'
const line =
  'flex min-h-7 items-center gap-2 rounded-control px-2 py-1 outline-none select-none data-highlighted:bg-surface'

/** The window's menu: every entry runs a command of the one table, and one that cannot be run says why. */
export default function WindowMenu({ open, onOpenChange, trigger, focusBefore }: Props) {
  const { commands } = useApp()
  useCell(commands.version)
  // Within the bar at the top the menu belongs to a landmark.
  const bar = useRef<HTMLDivElement>(null)
  const chosen = useRef<CommandId>(undefined)
  // What was chosen runs once the menu has given the focus back: it may take it elsewhere.
  const closed = () => {
    const id = chosen.current
    chosen.current = undefined
    if (id) setTimeout(() => commands.run(id))
  }
  return (
    <Base.Root open={open} onOpenChange={onOpenChange} onOpenChangeComplete={(next) => !next && closed()}>
      <Base.Trigger render={trigger} />
      <div ref={bar} className="absolute" />
      <Base.Portal container={bar}>
        <Base.Positioner side="bottom" align="start" sideOffset={6} className="z-50">
          <Base.Popup className={clsx(popup, 'min-w-36')} finalFocus={() => focusBefore() ?? true}>
            {menusNow(commands).map(({ name, parts }) => (
              <Base.SubmenuRoot key={name}>
                <Base.SubmenuTrigger className={clsx(line, 'data-popup-open:bg-surface')}>
                  <span className="flex-1">{name}</span>
                  <Icon node={ChevronRight} size={14} className="text-faint" />
                </Base.SubmenuTrigger>
                <Base.Portal container={bar}>
                  <Base.Positioner side="right" align="start" sideOffset={2} alignOffset={-5} className="z-50">
                    <Base.Popup className={clsx(popup, 'min-w-64')}>
                      {parts.map((part, index) => (
                        <Fragment key={part[0]?.id}>
                          {index > 0 && <Base.Separator className="my-1 h-px bg-border" />}
                          {part.map((each) => (
                            <Item key={each.id} entry={each} onChoose={() => (chosen.current = each.id)} />
                          ))}
                        </Fragment>
                      ))}
                    </Base.Popup>
                  </Base.Positioner>
                </Base.Portal>
              </Base.SubmenuRoot>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Item({ entry, onChoose }: { entry: MenuEntry; onChoose: () => void }) {
  const { name, key, enabled, checked, because } = entry
  const content = (
    <>
      <span className="flex w-4 shrink-0 justify-center">{checked && <Icon node={Check} size={14} />}</span>
      <span className="min-w-0 flex-1">
        {name}
        {because && <span className="block text-faint">{because}</span>}
      </span>
      {key && (
        <span className="pl-4 text-muted">
          <Kbd>{keyWords(key)}</Kbd>
        </span>
      )}
    </>
  )
  if (checked !== undefined) {
    return (
      <Base.CheckboxItem checked={checked} closeOnClick onClick={() => enabled && onChoose()} className={line}>
        {content}
      </Base.CheckboxItem>
    )
  }
  return (
    <Base.Item disabled={!enabled} onClick={onChoose} className={clsx(line, 'data-disabled:text-faint')}>
      {content}
    </Base.Item>
  )
}
