import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { closeBrowser, open, serve } from './harness.mjs'
import { button } from './thread.mjs'

after(closeBrowser)

const key = 'sk-e2e-7f3a9c-not-a-real-key'

/** The files under a folder that hold a text. */
async function holding(dir, text) {
  const found = []
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    if (entry.isFile() && (await readFile(path)).includes(text)) found.push(path)
  }
  return found
}

const provider = { name: 'Mine', baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key }

test('a key is nowhere but where its owner put it', async (t) => {
  const studio = await serve(t, { env: { OPENAI_API_KEY: `${key}-env` } })
  await studio.api('PUT', '/studio/providers/mine', { ...provider, keepKey: 'memory' })
  await studio.api('POST', '/studio/providers/mine/test', {})
  const page = await open(t, studio.address)
  await button(page, 'New thread').first().waitFor()
  const state = JSON.stringify(await studio.api('GET', '/studio/state'))
  assert.ok(!state.includes(key), 'no key comes out of the studio again')
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  )
  assert.ok(!stored.includes('sk-'), 'no key is in the browser')
  assert.ok(!stored.includes(studio.token), 'nor can the page read the token')
  assert.deepEqual(await holding(studio.dir, key), [], 'a key kept in memory is in no file')

  await studio.api('PUT', '/studio/providers/mine', { ...provider, keepKey: 'file' })
  const kept = join(studio.dir, 'keys.json')
  assert.deepEqual(await holding(studio.dir, key), [kept], 'a key kept in a file is in that file alone')
  assert.equal((await stat(kept)).mode & 0o777, 0o600)
  assert.deepEqual(await holding(studio.dir, `${key}-env`), [])
  assert.ok(!studio.log().includes(key), 'no key is in the log')
  assert.deepEqual(page.faults, [])
})
