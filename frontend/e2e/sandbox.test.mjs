// Where the commands of agents run: chosen in Settings, said on the card, and told in the row and by its error.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { calls, closeBrowser, folder, open, says, script, serve, until } from './harness.mjs'
import { button, row, send, unfold } from './thread.mjs'

after(closeBrowser)

const section = (page, name) => page.getByRole('region', { name, exact: true })

/** A studio whose model runs one command in each thread, on a machine without Docker, with its page on the settings. */
async function withoutDocker(t) {
  const dir = await folder(t)
  const path = await script(
    t,
    calls(['c1', 'run_command', { command: 'echo made | tee made.txt' }]),
    says('It is done.'),
  )
  const studio = await serve(t, {
    args: ['--script', path, '--folder', dir],
    env: { DOCKER_HOST: 'unix:///nobody/listens/here.sock' },
  })
  await studio.api('PUT', '/studio/settings', { agentName: 'workspace' })
  const page = await open(t, studio.address)
  await button(page, 'Send').waitFor()
  await page.keyboard.press('Control+,')
  await page.getByRole('dialog', { name: 'Settings' }).waitFor()
  const settings = async () => (await studio.api('GET', '/studio/state')).settings
  return { dir, page, settings }
}

/** Chooses a container for commands, as a person does. */
async function chooseDocker(page, settings) {
  const box = section(page, 'Sandbox')
  await box.getByRole('combobox', { name: 'Commands run' }).click()
  await page.getByRole('option', { name: /^In Docker/ }).click()
  await box.getByRole('textbox', { name: 'Image' }).fill('busybox:1')
  await box.getByRole('textbox', { name: 'Memory at most' }).fill('64 MB')
  await button(box, 'Save').click()
  await until('it to be saved', async () => (await settings()).commands.memory === '64MB')
  const { commands } = await settings()
  assert.deepEqual(commands, { in: 'docker', image: 'busybox:1', memory: '64MB', pidsLimit: 512, network: 'none' })
}

test('a command whose sandbox is away asks as ever, runs on this machine, and says so', async (t) => {
  const { dir, page, settings } = await withoutDocker(t)
  assert.equal((await settings()).commands.in, 'host', 'a newcomer has no sandbox')
  await chooseDocker(page, settings)
  const box = section(page, 'Sandbox')
  await box.getByText('Docker is not there now: commands run on this machine, after you approved them.').waitFor()
  await button(box, 'Test').click()
  await box
    .getByText(/Docker cannot be reached/)
    .first()
    .waitFor()
  await page.keyboard.press('Escape')

  await send(page, 'Make it')
  const waiting = row(page, 'run_command', 'waiting')
  await waiting
    .getByText('Docker cannot be reached: it runs on this machine itself, with all you can reach here.')
    .waitFor()
  await button(waiting, 'Approve').click()
  const done = row(page, 'run_command', 'done')
  await done.getByText('exit 0 on the host').waitFor()
  await unfold(done)
  await done.getByText(/Ran on the host, not in a container of busybox:1 without a network/).waitFor()
  assert.equal(await readFile(join(dir, 'made.txt'), 'utf8'), 'made\n')
  assert.deepEqual(page.faults, [])
})

test('a command whose sandbox is away fails where this machine may not be used', async (t) => {
  const { dir, page, settings } = await withoutDocker(t)
  await chooseDocker(page, settings)
  const box = section(page, 'Sandbox')
  await box.getByRole('checkbox').click()
  await box.getByText('Docker is not there now: commands fail.').waitFor()
  await page.keyboard.press('Escape')

  await send(page, 'Make it')
  const waiting = row(page, 'run_command', 'waiting')
  await waiting.getByText(/no command runs on this machine in its place: it will fail/).waitFor()
  await button(waiting, 'Approve').click()
  const failed = row(page, 'run_command', 'failed')
  await failed.waitFor()
  await unfold(failed)
  await failed.getByText('SANDBOX_UNAVAILABLE').first().waitFor()
  await assert.rejects(readFile(join(dir, 'made.txt')), { code: 'ENOENT' })
  assert.deepEqual(page.faults, [])
})
