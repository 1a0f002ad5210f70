// Drives a real useChat of @ai-sdk/react. Stdin is a JSON object of chats by name, each {api, steps}: the address of a ui-chat, and
// what to do there. What came of them is printed as JSON, by name.
//
//	{"open": {…}}        mounts the hook anew, with these options beside the test's own
//	{"reopen": resume}   mounts the hook anew, with the messages the server has
//	{"send": "text"}     sends a message and does not wait
//	{"answer": bool}     answers the first approval that is asked for; a "reason" may stand beside it
//	{"again": true}      regenerates the last message
//	{"until": "text"}    waits until the messages, as JSON, hold the text
//	{"finished": n}      waits until n requests of this hook were answered to the end
//	{"fetch": "path"}    asks the server for something else
//	{"stop": true}       closes the connection
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai'
import { createElement, useEffect } from 'react'
import { create } from 'react-test-renderer'

let input = ''
for await (const piece of process.stdin) input += piece

const come = {}
for (const [name, { api, steps }] of Object.entries(JSON.parse(input))) {
  come[name] = await play(api, steps).catch((error) => {
    throw new Error(`the chat that ${name}: ${error.message}`, { cause: error })
  })
}
console.log(JSON.stringify(come))
process.exit(0)

async function play(api, steps) {
  const heard = { data: [], errors: [], requests: [] }
  let chat
  let mounted = 0
  let finished = 0
  let last // the messages as they were when the newest request was answered
  let waiting = () => {}

  const transport = new DefaultChatTransport({
    api,
    fetch: async (...request) => {
      const response = await fetch(...request)
      heard.requests.push(
        `${request[1].method} ${response.status} ${response.headers.get('x-vercel-ai-ui-message-stream') ?? '-'}`,
      )
      return response
    },
  })
  function Client({ options, number }) {
    const state = useChat({
      id: 'chat-1',
      transport,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      onData: (part) => heard.data.push(part),
      onError: (error) => heard.errors.push(error.message),
      onFinish: ({ messages }) => {
        if (number !== mounted) return
        finished++
        last = messages
        waiting()
      },
      ...options,
    })
    useEffect(() => {
      if (number !== mounted) return // it was taken away
      chat = state
      waiting()
    })
    return null
  }

  let root
  const open = (options) => {
    root?.unmount()
    finished = 0
    chat = undefined
    root = create(createElement(Client, { options, number: ++mounted }))
  }
  const until = (what, holds) =>
    new Promise((done, fail) => {
      const said = () => JSON.stringify({ status: chat?.status, ...heard, messages: chat?.messages })
      const late = setTimeout(() => fail(new Error(`waited for ${what}; got ${said()}`)), 60_000)
      waiting = () => {
        if (!holds()) return
        clearTimeout(late)
        waiting = () => {}
        done()
      }
      waiting()
    })
  const answered = new Set()
  const isAsked = ({ state, approval }) =>
    state === 'approval-requested' && !approval.isAutomatic && !answered.has(approval.id)
  const asked = () => chat?.messages.flatMap((m) => m.parts).find(isAsked)
  const isWhole = () =>
    ['ready', 'error'].includes(chat?.status) && JSON.stringify(chat.messages) === JSON.stringify(last)
  const actions = {
    open,
    reopen: async (resume) => {
      const { messages } = await (await fetch(`${api}/chat-1/messages`)).json()
      open({ messages, resume })
    },
    send: (text) => void chat.sendMessage({ text }),
    answer: async (approved, { reason }) => {
      await until('an approval', asked)
      const { id } = asked().approval
      answered.add(id)
      await chat.addToolApprovalResponse({ id, approved, reason })
    },
    again: () => void chat.regenerate(),
    until: (text) => until(text, () => JSON.stringify(chat?.messages ?? '').includes(text)),
    finished: (n) => until(`${n} answers`, () => finished >= n && isWhole()),
    fetch: (path) => fetch(new URL(path, api)),
    stop: () => chat.stop(),
  }

  open({})
  for (const step of steps) {
    await until('a render', () => chat)
    const [name] = Object.keys(step)
    await actions[name](step[name], step)
  }
  root.unmount()
  return { messages: chat.messages, status: chat.status, ...heard }
}
