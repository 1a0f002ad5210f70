import { expect, it } from 'vitest'
import { ApiError } from '../../transport/apiError'
import { FieldFault, formFault } from './formFault'

it.each([
  ['a fault of a field', new FieldFault('url', 'It needs an address.'), { field: 'url', text: 'It needs an address.' }],
  [
    'the Studio’s refusal of a field of the form',
    new ApiError('temperature: must be between 0 and 2', 'INVALID_INPUT', 400),
    { field: 'temperature', text: 'Must be between 0 and 2.' },
  ],
  ['a refusal of what is no field of it', new ApiError('output: none', 'INVALID_INPUT', 400), { text: 'output: none' }],
  [
    'a name that is taken',
    new ApiError('there is one already', 'NAME_TAKEN', 409),
    { field: 'name', text: 'there is one already' },
  ],
  ['whatever else is thrown', 'gone', { text: 'gone' }],
])('%s is shown where it belongs', (_, cause, want) => {
  expect(formFault(cause, ['name', 'temperature'])).toEqual(want)
})
