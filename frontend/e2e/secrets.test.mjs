import assert from 'node:assert/strict'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { closeBrowser, folder, open, serve } from './harness.mjs'
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

test('without a secret service a key is kept in memory, or if asked for in a file, and never in the database', async (t) => {
  // A bus nobody listens at: whatever this machine has, the program finds no keychain.
  const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(await folder(t), 'none')}` }
  const studio = await serve(t, { env })
  const page = await open(t, studio.address)
  await button(page, 'New thread').first().waitFor()
  await page.keyboard.press('Control+,')
  const settings = page.getByRole('dialog', { name: 'Settings' })
  const models = settings.getByRole('region', { name: 'Models', exact: true })
  await button(models, 'Look again').click()
  await page
    .getByText(/^Found /)
    .first()
    .waitFor() // this machine may have one
  await button(models, 'Connect a model').click()

  const form = page.getByRole('dialog', { name: 'Connect a model' })
  const keep = form.getByRole('combobox', { name: 'Keep the key' })
  await keep.filter({ hasText: 'Until Callboard closes' }).waitFor()
  await form.getByText(/^Not in the keychain: .*session bus/).waitFor()
  await keep.click()
  const choices = page.getByRole('option')
  await choices.first().waitFor()
  assert.deepEqual(
    (await choices.allInnerTexts()).map((text) => text.split('\n')[0]),
    ['Until Callboard closes', 'In a file'],
  )
  await page.keyboard.press('Escape')
  await choices.first().waitFor({ state: 'detached' })
  await form.getByRole('textbox', { name: /^Name/ }).fill(provider.name)
  await form.getByRole('textbox', { name: /^Address/ }).fill(provider.baseUrl)
  await form.getByLabel(/^Key/).fill(key)
  await form.getByRole('combobox', { name: /^Model/ }).fill('m')
  await button(form, 'Save').click()
  await models.getByText('m · key until Callboard closes').waitFor()
  assert.deepEqual(await holding(studio.dir, key), [], 'it is in no file')

  await models.getByRole('button', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: provider.name })
  await edit.getByText('There is a key. Leave this empty to keep it.').waitFor()
  await edit.getByRole('combobox', { name: 'Keep the key' }).click()
  await page.getByRole('option', { name: 'In a file' }).click()
  await button(edit, 'Save').click()
  await models.getByText('m · key in a file').waitFor()
  const kept = join(studio.dir, 'keys.json')
  assert.deepEqual(await holding(studio.dir, key), [kept], 'it is in that file alone, and not in the database')
  assert.equal((await stat(kept)).mode & 0o777, 0o600)

  await studio.stop()
  const again = await serve(t, { env, data: studio.dir })
  const [mine] = (await again.api('GET', '/studio/state')).providers
  assert.deepEqual([mine.hasKey, mine.keyKept], [true, 'file'], 'it is there after a restart')
  assert.deepEqual(await holding(studio.dir, key), [kept])
  assert.ok(!studio.log().includes(key) && !again.log().includes(key), 'nor is it in the log')
})
