// The example programs, as somebody would start them.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atEnd, command, folder, until } from './harness.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds and starts a program of backend/examples. It listens at the address it printed until it is killed. */
export async function example(t, name) {
  const path = join(await folder(t), name)
  const env = { ...process.env, OPENAI_API_KEY: '' }
  const { status, stderr } = await command('go', ['build', '-C', root, '-o', path, `./backend/examples/${name}`], env)
  if (status !== 0) throw new Error(`build ${name}: ${stderr}`)
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
