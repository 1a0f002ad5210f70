import { expect, it } from 'vitest'
import { imagesIn, partsText } from './shown'

const hash = 'a'.repeat(64)
const ref = `"src":"${hash}","mediaType":"image/png","bytes":2097152,"width":4,"height":3`

it.each([
  ['a field', `{"of":"page","image":{${ref}}}`, 1],
  ['both fields', `{"image":{${ref}},"imageBase64":{${ref}}}`, 2],
  ['parts', `[{"type":"text","text":"a"},{"type":"image",${ref}}]`, 1],
  ['another member', `{"picture":{${ref}}}`, 0],
  ['an address', `{"image":{"src":"https://a.example/x.png"}}`, 0],
  ['a name', `{"image":"python:3.12","src":1}`, 0],
  ['a text about one', `"{\\"src\\":\\"${hash}\\"}"`, 0],
  ['what is no JSON', `{"src" ${hash}`, 0],
])('the images of a result: %s', (_, json, count) => {
  const images = imagesIn(json)
  expect(images.length).toBe(count)
  for (const image of images) expect(image).toMatchObject({ src: hash, mediaType: 'image/png', bytes: 2097152 })
})

it.each([
  ['parts', `[{"type":"text","text":"a\\n"},{"type":"image",${ref}},{"type":"text","text":"b"}]`, 'a\n\nb'],
  ['images alone', `[{"type":"image",${ref}}]`, undefined],
  ['another array', '[{"type":"text","text":"a"},7]', undefined],
  ['an object', '{"type":"text","text":"a"}', undefined],
  ['nothing', '[]', undefined],
])('the text of %s', (_, json, want) => {
  expect(partsText(json)).toBe(want)
})
