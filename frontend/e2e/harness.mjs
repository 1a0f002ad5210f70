// What the end-to-end tests stand on: the built program serving a fresh data folder, and a page of Chromium on it.
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

export const program = fileURLToPath(new URL('../../build/bin/callboard', import.meta.url))
export const results = fileURLToPath(new URL('../test-results/', import.meta.url))

/** So long, in ms, one step may take on a busy machine before it counts as one that never comes. */
export const patience = 45_000

/** Waits until check returns something true, and returns it. */
export async function until(what, check, timeoutMs = patience) {
  const end = Date.now() + timeoutMs
  for (;;) {
    const value = await check()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited ${timeoutMs / 1000} s for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

const endings = new WeakMap()

/** Does what a test leaves to do at its end: the last first, so that a page closes before its server does. */
export function atEnd(t, end) {
  const stack = endings.get(t)
  if (stack) {
    stack.push(end)
    return
  }
  endings.set(t, [end])
  t.after(async () => {
    for (const each of endings.get(t).reverse()) await each()
  })
}

/** A folder that goes when the test is over. */
export async function folder(t, name = 'callboard-e2e-') {
  const dir = await mkdtemp(join(tmpdir(), name))
  atEnd(t, () => rm(dir, { recursive: true, force: true, maxRetries: 3 }))
  return dir
}

/** The environment of the program: no display, no key, no other studio's data. */
export function environment(extra) {
  const { PATH, HOME, LANG } = process.env
  return { PATH, HOME, LANG, CHECK_PAUSE: '0.05', ...extra }
}

/** Runs a command to its end. */
export function command(name, args, env = environment()) {
  const child = spawn(name, args, { env })
  const result = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (result.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (result.stderr += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ ...result, status }))
  })
}

/** Starts `callboard serve` and returns it once it answers. */
export async function serve(t, { data, args = [], env = {} } = {}) {
  const dir = data ?? (await folder(t))
  const child = spawn(program, ['serve', '--addr', '127.0.0.1:0', '--data', dir, ...args], { env: environment(env) })
  let log = ''
  let stdout = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  let end
  child.on('close', (status, signal) => (end = { status, signal }))
  const stop = (signal = 'SIGTERM') => {
    child.kill(signal)
    return until('the studio to end', () => end)
  }
  atEnd(t, async () => {
    await stop('SIGKILL')
    if (!t.passed && log) t.diagnostic(log)
  })
  await until('the address', () => {
    if (end) throw new Error(`serve ended with ${end.status}: ${log}`)
    return stdout.includes('\n')
  })
  const address = new URL(stdout.trim())
  const token = address.searchParams.get('token')
  const api = async (method, path, body) => {
    const response = await fetch(new URL(`/api${path}`, address), {
      method,
      headers: { Authorization: `Bearer ${token}`, Accept: 'application/json', 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  return { address, token, dir, api, stop, stdout: () => stdout, log: () => log }
}

/** Writes a script for the scripted model and returns its path. A turn is its chunks. */
export async function script(t, ...turns) {
  const path = join(await folder(t), 'script.json')
  await writeFile(path, JSON.stringify({ turns: turns.map((chunks) => ({ chunks })) }))
  return path
}

/** The chunks of a turn that says text. */
export const says = (text) => [{ text }, { finishReason: 'stop', usage: { inputTokens: 9, outputTokens: 3 } }]

/** The chunks of a turn that calls tools: [id, name, arguments as text or value]. */
export const calls = (...each) => [
  {
    toolCalls: each.map(([id, name, args]) => ({
      id,
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    })),
  },
  { finishReason: 'tool_calls', usage: { inputTokens: 9, outputTokens: 3 } },
]

/** The chunks that stream the arguments of a call piece by piece with a pause between two of them, without ending it. */
export const streams = (id, name, pieces, delayMs) => [
  { toolInput: { type: 'start', toolCallId: id, toolName: name } },
  ...pieces.flatMap((delta) => [{ delayMs }, { toolInput: { type: 'delta', toolCallId: id, delta } }]),
]

/** Starts a run in a new thread and returns both their ids. */
export async function start(studio, input, { agent = 'workspace', folder } = {}) {
  const thread = await studio.api('POST', '/studio/threads', { agentName: agent, folder })
  return await studio.api('POST', `/agents/${agent}/runs`, { input, threadId: thread.id })
}

/** Waits until a run stands as one of the statuses, and returns its events. */
export async function settled(studio, runId, ...statuses) {
  return await until(`run ${runId} to be ${statuses.join(' or ')}`, async () => {
    const answer = await studio.api('GET', `/runs/${runId}/events?after=0`)
    return statuses.includes(answer.status) && answer
  })
}

/** Reads a run's log: each event as the line of JSON it is on the wire. */
export async function linesOf(studio, runId) {
  const response = await fetch(new URL(`/api/runs/${runId}/events?after=0`, studio.address), {
    headers: { Authorization: `Bearer ${studio.token}`, Accept: 'application/json' },
  })
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('{"seq":'))
  return lines.map((line) => line.replace(/,$/, ''))
}

let shared

/** The one Chromium of a test file, however many ask for it at once. */
function browser() {
  shared ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  return shared
}

/** Closes Chromium; for a test file's `after`. */
export async function closeBrowser() {
  await (await shared)?.close()
  shared = undefined
}

/**
 * Opens a page in a profile of its own. What it writes to the console as an error, throws, or asks of another host fails the
 * test; a picture is kept when the test fails.
 */
export async function open(t, address, { width = 1280, height = 900, ...context } = {}) {
  const profile = await (await browser()).newContext({ viewport: { width, height }, ...context })
  const page = await profile.newPage()
  page.setDefaultTimeout(patience)
  const faults = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`thrown: ${error.stack ?? error}`))
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol.startsWith('http') && page.url().startsWith('http') && host !== new URL(page.url()).host) {
      faults.push(`foreign request: ${request.url()}`)
    }
  })
  atEnd(t, async () => {
    if (!t.passed) await picture(page, t.name)
    await profile.close()
  })
  await page.goto(String(address))
  return Object.assign(page, { faults })
}

/** Saves a picture of the page under test-results. */
export async function picture(page, name) {
  await mkdir(results, { recursive: true })
  const file = `${name.replace(/[^a-zA-Z0-9]+/g, '-').slice(0, 80)}.png`
  await page.screenshot({ path: join(results, file) }).catch(() => undefined)
}
