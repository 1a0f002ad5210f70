// Photographs a page in both themes and several sizes, and tells what a machine can see to be wrong with it.
import { join } from 'node:path'
import { results, until } from '../e2e/harness.mjs'
import { axeFaults, layoutFaults } from './looks.mjs'

export const folder = join(results, 'screens')

const wide = { width: 1280, height: 800 }
const usual = [wide, { width: 900, height: 600 }, { width: 480, height: 800 }]
/** The last is what a window of 1280 px shows at 200 %. */
export const all = [...usual, { width: 640, height: 400 }]
export const onlyWide = [wide]

/**
 * Takes a screen. `again` puts it up in each size, where it does not stay. It throws what does not fit, text over text, what axe
 * finds, and an error in the console that is not forgiven.
 */
export async function shoot(page, name, { sizes = usual, again = () => undefined, forgive = /^$/ } = {}) {
  /** Where each fault was seen. */
  const faults = new Map()
  for (const size of sizes) {
    await page.setViewportSize(size)
    await drawn(page)
    await again()
    for (const colorScheme of ['dark', 'light']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await until(`the ${colorScheme} theme of ${name}`, () =>
        page.evaluate((theme) => document.documentElement.dataset.theme === theme, colorScheme),
      )
      await drawn(page)
      const where = `${size.width}x${size.height}-${colorScheme}`
      await page.screenshot({ path: join(folder, `${name}-${where}.png`), animations: 'disabled' })
      for (const fault of [...(await layoutFaults(page)), ...(await axeFaults(page))]) {
        faults.set(fault, [...(faults.get(fault) ?? []), where])
      }
    }
  }
  for (const fault of page.faults) if (!forgive.test(fault)) faults.set(fault, ['console'])
  page.faults.length = 0
  await page.setViewportSize(wide)
  const lines = [...faults].map(([fault, where]) => `\n  ${fault} (${where.join(', ')})`)
  if (lines.length > 0) throw new Error(`${name}:${lines.join('')}`)
}

/** Waits until the page has been drawn as it is now, what an observer of its size puts right included. */
async function drawn(page) {
  await page.evaluate(async () => {
    await document.fonts.ready
    for (let i = 0; i < 8; i++) await new Promise((resolve) => requestAnimationFrame(resolve))
  })
}
