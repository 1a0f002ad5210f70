// @vitest-environment node
import { expect, it } from 'vitest'
import { agentLabel } from './format'

it.each([
  ['weather@127.0.0.1:4830', 'weather@127.0.0.1:4830'],
  ['שלום', '\u2068שלום\u2069'],
  ['שלום-עולם@127.0.0.1:5331', '\u2068שלום-עולם\u2069@\u2068127.0.0.1:5331\u2069'],
  ['a@b@שלום', '\u2068a@b\u2069@\u2068שלום\u2069'],
])('an agent called %s keeps its server where it stands', (name, want) => {
  expect(agentLabel(name)).toBe(want)
})
