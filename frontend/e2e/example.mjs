// The example programs, as somebody would start them.
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atEnd, command, until } from './harness.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

const env = { ...process.env, OPENAI_API_KEY: '' }

/** The programs of a test file, each built once, by their names. */
const built = new Map()

/** Builds a program in a folder that goes with this process. */
async function build(name) {
  const dir = await mkdtemp(join(tmpdir(), 'callboard-example-'))
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, name)
  const { status, stderr } = await command('go', ['build', '-C', root, '-o', path, `./backend/examples/${name}`], env)
  if (status !== 0) throw new Error(`build ${name}: ${stderr}`)
  return path
}

/** Builds and starts a program of backend/examples. It listens at the address it printed until it is killed. */
export async function example(t, name) {
  if (!built.has(name)) built.set(name, build(name))
  const path = await built.get(name)
  const child = spawn(path, ['-addr', '127.0.0.1:0'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const gone = new Promise((resolve) => child.on('close', resolve))
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
  const kill = async () => {
    child.kill('SIGKILL')
    await gone
  }
  atEnd(t, kill)
  await until(`${name} to listen`, () => out.includes('\n'))
  return { address: out.trim().split(' ').at(-1), kill }
}
