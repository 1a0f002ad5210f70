/** A choice that outlives the window, as text; undefined when there is none or the browser forbids storage. */
export function recall(name: string): string | undefined {
  try {
    return localStorage.getItem(`callboard.${name}`) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a choice; where the browser forbids storage it holds until the page closes. */
export function remember(name: string, text: string): void {
  try {
    localStorage.setItem(`callboard.${name}`, text)
  } catch {
    return
  }
}
