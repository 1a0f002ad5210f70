/** The steps of the page's size, in percent. */
const steps = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200] as const

/** How large the page is where nothing else is known, in percent. */
export const plain = 100

/** The next step up or down from a size, or the size itself at an end. */
export function stepped(percent: number, direction: 1 | -1): number {
  const next = direction > 0 ? steps.find((step) => step > percent) : steps.findLast((step) => step < percent)
  return next ?? percent
}
