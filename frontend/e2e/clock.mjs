// The page's clock, where what a test looks at is a matter of time: then it is none of how fast the machine is. Timers go on as ever.

/** So long, in ms, the keys of a call that came into view rest. */
const guardTime = 600

/** Stops the clock. */
export const stopClock = (page) =>
  page.evaluate(() => {
    const at = Date.now()
    Date.now = () => at
  })

/** Puts the clock forward by so many ms. */
export const putForward = (page, ms) =>
  page.evaluate((by) => {
    const { now } = Date
    Date.now = () => now() + by
  }, ms)

/** Waits until the end of the arguments was seen on the card in a place, and lets the time go by that its keys rest after that. */
export async function restOver(page, place) {
  await place.getByRole('button', { name: 'Deny…' }).waitFor()
  await place.getByText('Scroll to the end of the arguments').waitFor({ state: 'detached' })
  await putForward(page, guardTime)
}

/** Lists from now on what a page asks the server to decide. */
export function decisions(page) {
  const asked = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/decision')) asked.push(request.postData())
  })
  return asked
}
