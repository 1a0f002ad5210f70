import { describe, expect, it } from 'vitest'
import { isRead } from './Reads'

describe('an argument', () => {
  const properties = { command: { type: 'string' } }
  it.each([
    ['that the schema has is read', { properties }, 'command', true],
    ['that it does not have is not', { properties }, 'cwd', false],
    ['is not where it forbids others', { properties, additionalProperties: false }, 'cwd', false],
    ['is where it allows others', { properties, additionalProperties: { type: 'string' } }, 'cwd', true],
    ['is where it allows any', { properties, additionalProperties: true }, 'cwd', true],
    ['is where it names none', { properties: {} }, 'cwd', true],
    ['is where it is not known', undefined, 'cwd', true],
    ['with the name of something every object has is not', { properties }, 'toString', false],
  ])('%s', (_, schema, name, want) => {
    expect(isRead(schema, name)).toBe(want)
  })
})
