// Reads UI message streams with the AI SDK itself. Stdin is JSON: an object of lists of chunks, by name. What comes of each is printed as
// JSON under its name: the message, the errors, and what the schema of the AI SDK refuses.
import { readUIMessageStream, uiMessageChunkSchema, validateUIMessages } from 'ai'

let text = ''
for await (const piece of process.stdin) text += piece

const schema = uiMessageChunkSchema()
const read = {}
for (const [name, chunks] of Object.entries(JSON.parse(text))) {
  const [errors, refused] = [[], []]
  for (const chunk of chunks) {
    const checked = await schema.validate(chunk)
    if (!checked.success) refused.push(`${JSON.stringify(chunk)}: ${checked.error.message}`)
  }
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  let message = { parts: [] }
  for await (const state of readUIMessageStream({ stream, onError: (error) => errors.push(error.message) }))
    message = state
  if (message.parts.length > 0) {
    await validateUIMessages({ messages: [message] }).catch((error) => refused.push(error.message))
  }
  read[name] = { message, errors, refused }
}
console.log(JSON.stringify(read))
