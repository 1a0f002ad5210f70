// What the project promises of the window, measured: `npm run bench`, or `npm run bench open wheel` for some of it. Each figure
// is a line as Go prints its benchmarks; "of-budget" is the part of the promise it uses. Needs the built program.
import { closeBrowser } from '../e2e/harness.mjs'

const all = ['fold', 'scripts', 'open', 'wheel', 'live', 'arguments', 'playback', 'window']

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`no benchmark is named ${unknown.join(' or ')}: there are ${all.join(', ')}`)
  process.exit(2)
}
for (const name of asked.length > 0 ? asked : all) {
  const ends = []
  const t = { name, passed: true, after: (end) => ends.push(end), diagnostic: console.error }
  try {
    const { bench } = await import(`./${name}.mjs`)
    await bench(t)
  } finally {
    for (const end of ends.reverse()) await end()
    await closeBrowser()
  }
}
