import { useCallback, useState } from 'react'
import { useApp } from '../../state/app'
import { messageOf } from '../../transport/apiError'
import type { Note } from '../../transport/toolsets'
import { useAskedDelete } from '../../ui/askedDelete'
import { TextInput } from '../../ui/Field'
import { moment } from '../../ui/format'
import { Section } from '../../ui/Section'
import { toast } from '../../ui/toasts'
import { Verbatim } from '../../ui/Verbatim'
import { useAnswer } from '../inspector/useAnswer'
import { Listed } from './Listed'

/** So long nothing has to be typed, in ms, before the notes are searched. */
const pause = 150
/** The server answers with no more notes than this. */
const most = 500

/** What the agents were asked to remember: found, read and forgotten. */
export function Notes() {
  const app = useApp()
  const [typed, setTyped] = useState('')
  const query = typed.trim()
  const ask = useCallback(
    async (signal: AbortSignal) => {
      if (query) await new Promise((resolve) => setTimeout(resolve, pause))
      return signal.aborted ? [] : app.api.notes(query, signal)
    },
    [app, query],
  )
  const asked = useAnswer('notes', ask)
  const remove = async (id: string) => {
    await app.api.deleteNote(id).catch((cause: unknown) => toast(messageOf(cause), 'err'))
    asked.again()
  }
  return (
    <Section name="Notes">
      {(query || asked.value === undefined || asked.value.length > 0) && (
        <TextInput
          type="search"
          aria-label="Find notes"
          placeholder="Find notes"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <Listed
        asked={asked}
        empty={
          query ? `Nothing matches “${query}”.` : 'No notes. An agent keeps one when you ask it to remember something.'
        }
      >
        {(note) => <Item key={note.id} note={note} onDelete={() => remove(note.id)} />}
      </Listed>
      {asked.value?.length === most && (
        <p className="text-small text-faint">These are {most} of them. Search to find the others.</p>
      )}
    </Section>
  )
}

function Item({ note, onDelete }: { note: Note; onDelete: () => Promise<void> }) {
  const { agentName, userId, text, tags, createdAt } = note
  const { button, asking } = useAskedDelete({
    name: `the note “${text}”`,
    question: `Delete this note? ${agentName} knows nothing of it then.`,
    onDelete,
  })
  return (
    <li className="flex flex-col gap-1 rounded-block border border-border px-3 py-2">
      <div className="flex items-start gap-2">
        <p className="min-w-0 flex-1 [overflow-wrap:anywhere] whitespace-pre-wrap">
          <Verbatim text={text} />
        </p>
        {button}
      </div>
      <p className="tnum text-small text-faint [overflow-wrap:anywhere]">
        <Verbatim
          text={[agentName, userId && `about ${userId}`, moment(createdAt), ...tags.map((tag) => `#${tag}`)]
            .filter(Boolean)
            .join(' · ')}
        />
      </p>
      {asking}
    </li>
  )
}
