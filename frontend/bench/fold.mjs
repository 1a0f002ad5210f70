// What the fold costs, in node and in Chromium.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command, open, until } from '../e2e/harness.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(root, 'node_modules/.bench/main.js')

export async function bench(t) {
  const config = join(root, 'bench/vite.config.ts')
  await run(join(root, 'node_modules/.bin/vite'), ['build', '--logLevel', 'warn', '-c', config])
  process.stdout.write(await run(process.execPath, [built]))
  const page = await open(t, 'about:blank')
  await page.addScriptTag({ path: built, type: 'module' })
  console.log(await until('the fold', () => page.evaluate(() => document.body?.innerText), 120_000))
}

async function run(name, args) {
  const { status, stdout, stderr } = await command(name, args)
  if (status !== 0) throw new Error(`${name} ${args.join(' ')}: ${stderr}`)
  return stdout
}
