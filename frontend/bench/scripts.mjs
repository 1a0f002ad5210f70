// How much script Chromium asks for from an address to the first painted row of its thread, gzipped.
import { gzipSync } from 'node:zlib'
import { calls, folder, open, says, script, serve, settled, start } from '../e2e/harness.mjs'
import { rows } from '../e2e/thread.mjs'
import { report } from './report.mjs'

const budgetKB = 300

export async function bench(t) {
  const path = await script(t, calls(['c1', 'list_files', { path: '.' }]), says('That is all.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'List.', { agent: 'demo' })
  await settled(studio, run.runId, 'completed')
  const page = await open(t, 'about:blank')
  const asked = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') asked.push(request)
  })
  await page.goto(`${studio.address}#/t/${run.threadId}`)
  await rows(page).first().waitFor()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  const until = asked.slice()
  const sizes = await Promise.all(until.map(sizeOf))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  report('scripts_to_the_first_row', 1, [total, 'KB', budgetKB], [sizes.length, 'scripts'])
  for (const [i, request] of until.entries()) {
    console.error(`  ${sizes[i].toFixed(1).padStart(6)} KB  ${new URL(request.url()).pathname}`)
  }
}

/** The size of a script in KB, gzipped. */
async function sizeOf(request) {
  const response = await request.response()
  return gzipSync(await response.body()).length / 1000
}
