/** Whether a dialog is open. A toast, which is one by its role, is not meant. */
export function dialogOpen(): boolean {
  return document.querySelector('[role="dialog"]:not([aria-modal="false"])') !== null
}

/** Whether something is open that Escape closes. */
export function overlayOpen(): boolean {
  return dialogOpen() || document.querySelector('[role="menu"], [role="listbox"]') !== null
}
