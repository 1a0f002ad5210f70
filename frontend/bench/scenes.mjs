// What stands on the screens that are photographed: threads with nothing, one thing and ten thousand things in them.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { doneCall, logOf } from '../e2e/gallery.mjs'
import { gate } from '../e2e/gate.mjs'
import { calls, folder, open, program, says, script, serve, settled, start, streams } from '../e2e/harness.mjs'
import { rows } from '../e2e/thread.mjs'

const source = `package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println("listening on :8080")\n}\n`

async function workspace(t) {
  const work = await folder(t)
  await writeFile(join(work, 'main.go'), source)
  await writeFile(join(work, 'README.md'), '# A project\n\nIt listens on port 8080.\n')
  return work
}

async function studioOf(t, ...turns) {
  const path = await script(t, ...turns)
  return await serve(t, { args: ['--script', path, '--folder', await workspace(t)] })
}

/** A thread in which nothing was said. */
export async function nothingYet(t) {
  const studio = await studioOf(t, says('Hello.'))
  const thread = await studio.api('POST', '/studio/threads', {})
  const page = await open(t, `${studio.address}#/t/${thread.id}`)
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  return { studio, page }
}

/** A thread with one answer. */
export async function answered(t) {
  const studio = await studioOf(t, says('It is done: **one** file was changed. See [the notes](https://example.com/notes).'))
  const run = await start(studio, 'Do one thing.')
  await settled(studio, run.runId, 'completed')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'It is done' }).waitFor()
  return { studio, run, page }
}

/** A thread in which files were read, a command failed, a call was dropped, and two commands wait; another thread waits too. */
export async function worked(t) {
  const asks = calls(
    ['d1', 'run_command', { command: 'go test ./... && ./release.sh staging --verbose --from main' }],
    ['d2', 'run_command', { command: 'printf "a line\\n" >> notes.txt\nprintf "another\\n" >> notes.txt' }],
  )
  const studio = await studioOf(
    t,
    [{ text: 'I look at the project first.' }, ...calls(...reads(6), ['l', 'list_files', {}])],
    [{ text: 'Now I change the port.' }, ...calls(['e', 'edit_file', edit], ['m', 'read_file', { path: 'missing.go' }])],
    [{ text: 'I write the notes.' }, ...streams('w', 'write_file', ['{"path":"notes.txt",', '"content":"half'], 5), { finishReason: 'length' }],
    asks,
    asks,
  )
  const first = await start(studio, 'Move the server to port 9090 and release it to staging.')
  await settled(studio, first.runId, 'paused', 'completed')
  const second = await studio.api('POST', '/agents/workspace/runs', { input: 'Go on.', threadId: first.threadId }).catch(() => first)
  await settled(studio, second.runId, 'paused', 'completed', 'failed')
  const other = await start(studio, 'Release it once more, from another thread with a long title that does not fit in the list')
  await settled(studio, other.runId, 'paused', 'completed', 'failed')
  const page = await open(t, `${studio.address}#/t/${first.threadId}`)
  await rows(page).first().waitFor()
  return { studio, run: second, page }
}

/** A thread with secrets in its messages, in arguments and in a result. */
export async function secretive(t) {
  const studio = await studioOf(
    t,
    calls(['s1', 'read_file', { path: 'README.md' }], ['s2', 'search_files', { pattern: 'token=hunter22 or ghp_0123456789abcdefghijklmnop' }]),
    says('Project Falcon is deployed with `ghp_0123456789abcdefghijklmnop`, and the database at postgres://ada:tiger9@db.example.com.'),
  )
  const run = await start(studio, 'Deploy Falcon with token=hunter22 and token=lion4711, and the key sk-proj-0123456789abcdefgh.')
  await settled(studio, run.runId, 'completed')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'is deployed' }).waitFor()
  return { studio, page }
}

/** A call that waits and has a key of the studio in it. */
export async function secretCall(t) {
  const key = 'sk-screens-0123456789abcdefghij'
  const studio = await studioOf(t, calls(['k1', 'run_command', { command: `curl -H "Authorization: Bearer ${key}" https://example.com/deploy` }]))
  await studio.api('PUT', '/studio/providers/p-one', { name: 'One', baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key, keepKey: 'memory' })
  const run = await start(studio, 'Deploy it.')
  await settled(studio, run.runId, 'paused')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).first().waitFor()
  return { studio, page }
}

/** Lets a page believe something else of its studio, from its next look on. */
export async function told(page, state) {
  await page.route('**/api/studio/state', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), ...state } })
  })
  await page.reload()
}

/** The file of an agent that lacks something here, and asks nobody about one tool. */
export const agentFile = JSON.stringify({
  format: 'callboard-agent',
  version: 1,
  agent: {
    version: 1,
    name: 'Release captain',
    description: 'Tags, builds and publishes a release',
    instructions: 'Read the changes since the last tag. Say what the next version is, and why. Then build and publish it.',
    tools: ['read_file', 'run_command', 'publish'],
    maxTurns: 40,
    timeoutMs: 600_000,
  },
  approvals: { run_command: 'never', publish: 'always' },
  agentTools: ['workspace'],
})

/** A server over MCP that works, one that does not and lost a value, and one that is off. */
const servers = {
  files: { command: program, args: ['mcp', '--folder', '/tmp'] },
  broken: { command: 'sh', args: ['-c', 'echo "no key is set: write it into TOKEN" >&2; exit 3'], env: { TOKEN: '' } },
  remote: { transport: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' }, enabled: false },
}

/** A thread in which notes were kept and messages put off until later. */
export async function kept(t) {
  const studio = await studioOf(
    t,
    calls(
      ['n1', 'remember', { text: 'The staging port is 9090', tags: ['deploy', 'staging'] }],
      ['n2', 'remember', { text: 'Tabs, never spaces.\nAnd a test beside each change, in a table with sentences for names, as the house style says.' }],
      ['s1', 'schedule', { message: 'Look at the build of the night, and say which tests failed that did not fail before', cron: '0 7 * * 1-5', timezone: 'Europe/Berlin' }],
      ['s2', 'schedule', { message: 'Ask about the release', delay: '3h' }],
    ),
    says('It is all noted.'),
  )
  const run = await start(studio, 'Keep in mind what I said of the port and the style, and look at the build every morning.')
  await settled(studio, run.runId, 'completed')
  await studio.api('PUT', '/studio/settings', { browserHosts: ['localhost:3000', '[::1]:8080'], retentionDays: 90 })
  for (const [name, server] of Object.entries(servers)) await studio.api('PUT', `/studio/mcp/${name}`, server)
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'It is all noted.' }).waitFor()
  return { studio, page }
}

const edit = { path: 'main.go', old_text: ':8080', new_text: ':9090' }
const reads = (n) => Array.from({ length: n }, (_, i) => [`r${i}`, 'read_file', { path: i % 2 ? 'README.md' : 'main.go' }])

/** A thread whose run failed. */
export async function failed(t) {
  const studio = await studioOf(t, [{ text: 'I try.' }, { error: 'the provider refused: 401 invalid key' }])
  const run = await start(studio, 'Do it.')
  await settled(studio, run.runId, 'failed')
  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  await rows(page).last().waitFor()
  return { studio, page }
}

/** A thread whose run has the first count of the lines. */
export async function gated(t, lines, count = lines.length) {
  const studio = await serve(t)
  const thread = await studio.api('POST', '/studio/threads', {})
  const door = await gate(t, studio, thread.id, lines)
  door.let(count)
  const page = await open(t, door.address)
  await rows(page).first().waitFor()
  return { page, door }
}

/** The lines of a run that a schedule began, in which one agent handed over to another. */
export function handedOver() {
  const turn = (n, agentName) => ({ type: 'turn', turn: n, phase: 'start', agentName })
  const text = (id, delta) => ({ type: 'text-delta', id, delta })
  const content = 'Scheduled message (sch_1, due Tue 1 Dec 2026 07:00 CET):\n\nWrite what changed in the night.'
  return logOf([
    { type: 'message', messageId: 'msg_sch_1_1', role: 'user', content },
    turn(1, 'triage'),
    text('a', 'That is for the one who writes.'),
    ...doneCall('c1', 'transfer_to_writer', { presentation: { label: 'Hand over', icon: 'arrow-right-left', detail: 'writer' } }),
    turn(2, 'writer'),
    text('b', 'Three files changed.'),
    { type: 'finish', status: 'completed' },
  ])
}

/** The lines of a run of so many calls, no two adjacent ones alike. */
export function long(n) {
  const all = Array.from({ length: n }, (_, i) => doneCall(`c${i}`, `tool_${i % 10}`)).flat()
  return logOf([{ type: 'message', messageId: 'u', role: 'user', content: 'Everything, please.' }, ...all, { type: 'finish', status: 'completed' }])
}
