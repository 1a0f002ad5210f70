import type { ReactNode } from 'react'

/** A part of a dialog under its name, which can take the focus. */
export function Section({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section aria-label={name} className="flex min-w-0 flex-col gap-3">
      <h3
        id={headingId(name)}
        tabIndex={-1}
        className="scroll-mt-4 self-start rounded-[2px] font-semibold outline-offset-4"
      >
        {name}
      </h3>
      {children}
    </section>
  )
}

/** Shows the section of a name and gives its heading the focus. */
export function goToSection(name: string): void {
  const heading = document.getElementById(headingId(name))
  heading?.scrollIntoView({ block: 'start' })
  heading?.focus({ preventScroll: true })
}

function headingId(name: string): string {
  return `section-${name.toLowerCase().replaceAll(' ', '-')}`
}
