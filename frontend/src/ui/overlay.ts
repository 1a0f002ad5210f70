/** Whether a dialog is open. A toast, which is one by its role, and a dialog that is on its way out are not meant. */
export function dialogOpen(): boolean {
  return document.querySelector('[role="dialog"]:not([aria-modal="false"], [data-closed])') !== null
}

/** Whether something is open that Escape closes. A list that is part of the page, as the inspector's timeline is, opens nothing. */
export function overlayOpen(): boolean {
  return dialogOpen() || document.querySelector('[role="menu"][data-open], [role="listbox"][data-open]') !== null
}
