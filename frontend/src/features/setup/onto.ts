/**
 * What a form changed, on what is stored now: another window may have changed the rest since the form was opened. A member is as it was
 * when it is the same JSON.
 */
export function onto<T extends object>(now: T, opened: T, edited: T): T {
  const changed = Object.entries(edited).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(opened[member as keyof T]),
  )
  return { ...now, ...Object.fromEntries(changed) }
}
