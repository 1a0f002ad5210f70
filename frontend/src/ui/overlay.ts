/** Whether a dialog is open. A toast, which is one by its role, is not meant. */
export function dialogOpen(): boolean {
  return document.querySelector('[role="dialog"]:not([aria-modal="false"])') !== null
}

/** Whether something is open that Escape closes. A list that is part of the page, as the inspector's timeline is, opens nothing. */
export function overlayOpen(): boolean {
  return dialogOpen() || document.querySelector('[role="menu"][data-open], [role="listbox"][data-open]') !== null
}
