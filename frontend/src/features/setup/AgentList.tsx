import Plus from 'lucide/dist/esm/icons/plus.mjs'
import Upload from 'lucide/dist/esm/icons/upload.mjs'
import { useApp } from '../../state/app'
import type { AgentInfo } from '../../transport/agents'
import type { StudioState } from '../../transport/answers'
import { messageOf } from '../../transport/apiError'
import { useAskedDelete } from '../../ui/askedDelete'
import { Button } from '../../ui/Button'
import { Section } from '../../ui/Section'
import { save } from '../../ui/save'
import { toast } from '../../ui/toasts'
import { useSave } from '../details/useSave'
import { pickAgentFile } from './agentFile'

/** The agents there are: the built-in ones, and those that were made or came as a file. */
export function AgentList({ state }: { state: StudioState }) {
  const app = useApp()
  return (
    <Section name="Agents">
      <ul className="flex flex-col gap-2">
        {state.agents
          .filter(({ server }) => !server)
          .map((agent) => (
            <Item key={agent.name} agent={agent} state={state} />
          ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button icon={Plus} onClick={() => app.setUp.set({ kind: 'agent', within: true })}>
          Make an agent
        </Button>
        <Button icon={Upload} onClick={() => pickAgentFile(app)}>
          Import a file…
        </Button>
      </div>
    </Section>
  )
}

function Item({ agent, state }: { agent: AgentInfo; state: StudioState }) {
  const app = useApp()
  const saveFile = useSave()
  const { name, description, builtIn, missing, providerId, model } = agent
  const provider = state.providers.find((each) => each.id === providerId)
  const exported = () =>
    save(
      saveFile,
      `${name}.agent.json`,
      async () => new Blob([await app.api.agentFile(name)], { type: 'application/json' }),
    )
  const { button, asking } = useAskedDelete({
    name,
    question: 'Delete this agent? Its threads stay, and take another agent.',
    onDelete: async () => {
      try {
        await app.api.deleteAgent(name)
        app.newChoice.update(({ agentName, ...rest }) => (agentName === name ? rest : { agentName, ...rest }))
      } catch (cause) {
        toast(messageOf(cause), 'err')
      }
      await app.studio.refresh()
    },
  })
  const speaks =
    providerId && `${model || provider?.model || 'default model'} of ${provider?.name ?? 'a server that is gone'}`
  return (
    <li className="flex min-w-0 flex-col gap-1 rounded-block border border-border px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
        {builtIn && <span className="text-small text-faint">built in</span>}
        {!builtIn && (
          <Button
            small
            aria-label={`Edit ${name}`}
            onClick={() => app.setUp.set({ kind: 'agent', name, within: true })}
          >
            Edit
          </Button>
        )}
        <Button
          small
          aria-label={`Copy ${name}`}
          onClick={() => app.setUp.set({ kind: 'agent', copy: name, within: true })}
        >
          Copy
        </Button>
        <Button small aria-label={`Export ${name}`} onClick={() => void exported()}>
          Export
        </Button>
        {!builtIn && button}
      </div>
      {description && <p className="text-small text-muted [overflow-wrap:anywhere]">{description}</p>}
      {speaks && <p className="text-small text-faint [overflow-wrap:anywhere]">Speaks with {speaks}</p>}
      {missing.length > 0 && (
        <p className="text-small text-wait [overflow-wrap:anywhere]">It works without {missing.join('; ')}.</p>
      )}
      {asking}
    </li>
  )
}
