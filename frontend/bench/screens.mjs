// Photographs every screen, light and dark, in a wide, a middling and a narrow window, and some at 200 % zoom, into
// test-results/screens. A screen fails on what does not fit, on text over text, on a fault axe finds, and on an error in the console.
// Needs the built program; the arguments, if any, are parts of the names of the scenes to take.
import { mkdir, rm } from 'node:fs/promises'
import test, { after } from 'node:test'
import { closeBrowser } from '../e2e/harness.mjs'
import { scenes as decisions } from './screens/decisions.mjs'
import { scenes as forms } from './screens/forms.mjs'
import { scenes as settings } from './screens/settings.mjs'
import { scenes as share } from './screens/share.mjs'
import { scenes as thread } from './screens/thread.mjs'
import { scenes as tools } from './screens/tools.mjs'
import { scenes as over } from './screens/window.mjs'
import { folder, shoot } from './shoot.mjs'

after(closeBrowser)

const wanted = process.argv.slice(2)
if (wanted.length === 0) await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })

for (const [name, take] of Object.entries({ ...over, ...thread, ...decisions, ...forms, ...settings, ...share, ...tools })) {
  const skip = wanted.length > 0 && !wanted.some((part) => name.includes(part))
  test(name, { skip }, (t) => take(t, shoot))
}
