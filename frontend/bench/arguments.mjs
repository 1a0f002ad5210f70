// What 1 MB of arguments in 16-byte pieces costs the window with the call's row open, and twice as much.
import { report } from './report.mjs'
import { longTaskMs } from './tasks.mjs'
import { writing } from './writing.mjs'

const megabyte = 1 << 20
const size = 16
/** Twice the bytes may cost so many times as much: what is linear costs twice, and a measurement wavers. */
const atMost = 2.6

export async function bench(t) {
  const once = await written(t, 1)
  const twice = await written(t, 2)
  report('arguments_2_MB_against_1_MB', 1, [twice / once, 'times', atMost])
}

async function written(t, megabytes) {
  const pieces = (megabytes * megabyte) / size
  const { took, work, count, longest } = await writing(t, { pieces, size, perSecond: 8000, beside: true })
  const figures = [
    [work, 'ms-at-work'],
    [took, 'ms'],
    [count, 'long-tasks'],
    [longest, 'ms-longest-task', longTaskMs],
  ]
  report(`arguments_${megabytes}_MB`, 1, ...figures)
  return work
}
