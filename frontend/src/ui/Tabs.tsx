import { Tabs as Base } from '@base-ui/react/tabs'

interface Tab<V extends string> {
  value: V
  label: string
  /** Why it cannot be chosen now. */
  disabledBecause?: string
}

interface Props<V extends string> {
  label: string
  value: V
  tabs: Tab<V>[]
  onChange: (value: V) => void
}

/** A row of tabs. What they show stands under it and is the caller's. */
export function Tabs<V extends string>({ label, value, tabs, onChange }: Props<V>) {
  return (
    <Base.Root value={value} onValueChange={onChange}>
      <Base.List aria-label={label} className="inline-flex gap-1">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            disabled={tab.disabledBecause !== undefined}
            title={tab.disabledBecause}
            className="h-6 rounded-control border border-transparent px-2 text-small text-muted hover:bg-raised data-active:border-border data-active:bg-raised data-active:text-text data-disabled:opacity-50"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
    </Base.Root>
  )
}
