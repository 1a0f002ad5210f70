import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import axe from 'axe-core'
import { expect, it, vi } from 'vitest'
import { ok } from '../../test/fake'
import { openThread, renderIn } from '../../test/thread'
import { Tries } from './Tries'

const args = '{"id":2512292042121000001,"ratio":1.0}'

/** The log of a try up to its result. */
const called = [
  '{"type":"start","messageId":"m1","threadId":"t1","runId":"r1","agentName":"by-hand","at":1}',
  `{"type":"message","messageId":"u1","role":"user","content":${JSON.stringify(args)},"at":1}`,
  '{"type":"turn","turn":1,"phase":"start","agentName":"by-hand","at":1}',
  '{"type":"tool-call-start","id":"c1","toolName":"measure","at":2}',
  `{"type":"tool-call-delta","id":"c1","argsTextDelta":${JSON.stringify(args)},"at":2}`,
  '{"type":"tool-call-end","id":"c1","at":2}',
  '{"type":"call-state","toolCallId":"c1","state":"running","at":3}',
]

const finish = (status: string) => `{"type":"finish","messageId":"m1","threadId":"t1","status":"${status}","at":9}`

async function tries(log: string[], status = 'completed') {
  const opened = await openThread(log, status)
  opened.transport.on('GET /threads/t1', () =>
    ok({ messages: [{ id: 'x', role: 'tool', toolCallId: 'c1', runId: 'r1', content: 'what a model reads' }] }),
  )
  const onAgain = vi.fn<(text: string) => void>()
  const awaited = { current: true }
  renderIn(opened.app, opened.store, <Tries store={opened.store} onAgain={onAgain} awaited={awaited} />)
  return { ...opened, onAgain, awaited }
}

const result = () => screen.getByRole('region', { name: 'Result' })

it('shows the progress of a try that runs, cancels it, and takes the focus to it', async () => {
  const progress =
    '{"type":"tool-update","toolCallId":"c1","details":{"progress":{"done":3,"total":4,"unit":"files"}},"at":4}'
  const { transport, awaited } = await tries([...called, progress], 'running')
  expect(within(result()).getByRole('progressbar')).toBeTruthy()
  expect(document.activeElement).toBe(result())
  expect(awaited.current).toBe(false)
  transport.on('POST /runs/r1/cancel', () => ok({}))
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(transport.asked.at(-1)?.path).toBe('/runs/r1/cancel'))
})

it('says of a try that runs elsewhere that the connection there is lost, until it is back', async () => {
  const { store } = await tries(called, 'running')
  const told = (notice?: string) =>
    act(async () => store.ring({ runId: 'r1', threadId: 't1', last: 0, status: 'running', notice }))
  await told('Connection to there lost, trying again')
  expect(await within(result()).findByRole('status')).toHaveProperty(
    'textContent',
    'Connection to there lost, trying again',
  )
  await told()
  await waitFor(() => expect(within(result()).queryByRole('status')).toBeNull())
})

it('shows what came of a try to each reader, digit for digit, and uses its arguments again', async () => {
  const done =
    '{"type":"tool-result","id":"x","toolCallId":"c1","result":{"sum":2512292042121000001},"details":{"table":{"columns":["a"],"rows":[[1]]}},"durationMs":5,"at":8}'
  const { onAgain } = await tries([...called, done, finish('completed')])
  expect(result().textContent).toContain('2512292042121000001')
  expect(within(result()).getByRole('group', { name: /Table/ })).toBeTruthy()
  expect(await screen.findByText('what a model reads')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Use these arguments again' }))
  expect(onAgain).toHaveBeenCalledWith(args)
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } })
  expect(violations.map((each) => `${each.id}: ${each.nodes[0]?.html}`)).toEqual([])
})

it('I10 says that a result is empty, where it is no failure', async () => {
  const empty = '{"type":"tool-result","id":"x","toolCallId":"c1","result":"","at":8}'
  await tries([...called, empty, finish('completed')])
  expect(result().textContent).toContain('(empty)')
})

it('shows of a try that failed the error and its code', async () => {
  const failed =
    '{"type":"tool-result","id":"x","toolCallId":"c1","result":null,"error":"the disk is full","errorCode":"TOOL_EXECUTION_FAILED","at":8}'
  await tries([...called, failed, finish('completed')])
  expect(result().textContent).toContain('the disk is full')
  expect(result().textContent).toContain('TOOL_EXECUTION_FAILED')
  expect(within(result()).queryByText('null')).toBeNull()
})

it('shows what a message that made no call was answered with', async () => {
  const [start = '', message = '', turn = ''] = called
  const words = [
    '{"type":"text-start","id":"p","at":2}',
    '{"type":"text-delta","id":"p","delta":"A message is its arguments.","at":2}',
    '{"type":"text-end","id":"p","at":2}',
  ]
  await tries([start, message, turn, ...words, finish('completed')])
  expect(result().textContent).toContain('A message is its arguments.')
})

it('lets decide what a call inside of the try waits for', async () => {
  const inside = [
    '{"type":"tool-call-start","id":"c2","toolName":"upload","parentToolCallId":"c1","at":4}',
    '{"type":"tool-call-delta","id":"c2","argsTextDelta":"{}","at":4}',
    '{"type":"tool-call-end","id":"c2","at":4}',
    '{"type":"call-state","toolCallId":"c2","state":"waiting","approvalId":"a2","argumentsHash":"h","at":5}',
    '{"type":"call-state","toolCallId":"c1","state":"waiting","at":5}',
    '{"type":"approval-required","threadId":"t1","approvals":[{"toolCallId":"c2","toolName":"upload","arguments":{},"argumentsText":"{}","description":"Uploads","approvalId":"a2","kind":"approval","argumentsHash":"h","parentToolCallId":"c1"}],"at":5}',
  ]
  await tries([...called, ...inside, finish('paused')], 'paused')
  const asked = within(result()).getByRole('region', { name: 'upload' })
  expect(within(asked).getByRole('button', { name: /^Approve/ })).toBeTruthy()
  expect(within(result()).getAllByRole('button', { name: /^Deny/ })).toHaveLength(1)
})
