// What a test does with the Tab key.

/** Goes from control to control until one has the focus. */
export async function tabTo(page, locator) {
  await locator.waitFor()
  for (let i = 0; i < 60; i++) {
    if (await locator.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no Tab led to ${locator}`)
}
