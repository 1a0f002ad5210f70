import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { useApp } from '../../state/app'
import { isFields } from '../../transport/decode'

const Reading = createContext<(name: string) => boolean>(() => true)

/** Marks, in the arguments inside of it, those that the call's tool does not read. Where its schema is not known none is marked. */
export function Reads({ toolName, agentName, children }: { toolName: string; agentName: string; children: ReactNode }) {
  const app = useApp()
  const [parameters, setParameters] = useState<unknown>()
  useEffect(() => {
    let wanted = true
    app.tool(toolName, agentName).then(
      (found) => wanted && setParameters(found?.parameters),
      () => wanted && setParameters(undefined), // the mark is beside the point of the row, which stands without it
    )
    return () => {
      wanted = false
    }
  }, [app, toolName, agentName])
  return <Reading value={(name) => isRead(parameters, name)}>{children}</Reading>
}

/** Whether the tool around it reads an argument. */
export function useReads(): (name: string) => boolean {
  return useContext(Reading)
}

/** Whether a schema has a member at its top. One that names none, or says what others are, has them all. */
export function isRead(schema: unknown, name: string): boolean {
  if (!isFields(schema) || !isFields(schema.properties)) return true
  const others = schema.additionalProperties
  const names = Object.keys(schema.properties)
  return names.length === 0 || (others !== undefined && others !== false) || names.includes(name)
}
