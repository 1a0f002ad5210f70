// Images in results, and results too large to travel with the log (CASES.md F6, G3).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { deflateSync } from 'node:zlib'
import { calls, closeBrowser, folder, linesOf, open, says, script, serve, settled, start, until } from './harness.mjs'
import { button, row, rows, unfold } from './thread.mjs'

after(closeBrowser)

/** A PNG of grey noise, which no compression makes small. */
function noise(width, height) {
  const lines = randomBytes((width + 1) * height)
  for (let y = 0; y < height; y++) lines[y * (width + 1)] = 0 // how the line is written
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  const chunk = (type, body) => {
    const out = Buffer.alloc(body.length + 12)
    out.writeUInt32BE(body.length, 0)
    out.write(type, 4, 'latin1')
    body.copy(out, 8)
    out.writeUInt32BE(crc(out.subarray(4, -4)), body.length + 8)
    return out
  }
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function crc(bytes) {
  let sum = -1
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return (sum ^ -1) >>> 0
}

test('an image of 2 MB is in the log by its hash, and seen in its row and where the model read it', async (t) => {
  const work = await folder(t)
  const image = noise(1600, 1300)
  assert.ok(image.length > 2_000_000, `the image has ${image.length} bytes`)
  await writeFile(join(work, 'shot.png'), image)
  const path = await script(t, calls(['c1', 'view_image', { path: 'shot.png' }]), says('I see noise.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Look at it.')
  await settled(studio, run.runId, 'completed')
  const log = (await linesOf(studio, run.runId)).join('\n')
  assert.ok(log.length < 20_000, `the log has ${log.length} characters`)

  const page = await open(t, `${studio.address}#/t/${run.threadId}`)
  const line = row(page, 'view_image')
  await line.waitFor()
  await unfold(line)
  const edges = (picture) => picture.evaluate((img) => img.complete && [img.naturalWidth, img.naturalHeight].join())
  const drawn = line.locator('img')
  await until('the image in its row', async () => (await edges(drawn)) === '1600,1300')
  assert.match(await line.locator('[data-block=Image] header').innerText(), /1,600 × 1,300, 2\.\d MB/)
  await line.hover()
  await line.getByRole('button', { name: 'Call actions' }).first().click()
  await page.getByRole('menuitem', { name: 'Inspect' }).click()
  const read = page.getByRole('region', { name: 'What the model read' })
  await read.getByText('Sent as an image beside it:').waitFor()
  await until('the image the model read', async () => (await edges(read.locator('img'))) === '1600,1300')
  assert.match(await read.innerText(), /\[image 1: image\/png, 1600x1300\]/)
  assert.deepEqual(page.faults, [])
})

const many = 200

test(`${many} results of 1 MB: the page stays small, each opens, and find looks into them`, async (t) => {
  const work = await folder(t)
  for (let i = 0; i < many; i++) {
    const lines = Array.from(
      { length: 16_000 },
      (_, n) => `line ${n} of file number ${i}, as long as lines are in files`,
    )
    if (i === 150) lines[8000] = 'the needle of file 150'
    await writeFile(join(work, `f${i}.txt`), `${lines.join('\n')}\n`)
  }
  const turns = Array.from({ length: 10 }, (_, turn) =>
    calls(
      ...Array.from({ length: many / 10 }, (_, i) => {
        const n = (turn * many) / 10 + i
        return [`c${n}`, 'write_file', { path: `f${n}.txt`, content: `now it is short: ${n}\n` }]
      }),
    ),
  )
  const path = await script(t, ...turns, says('All written.'))
  const studio = await serve(t, { args: ['--script', path, '--folder', work] })
  const run = await start(studio, 'Write them.', { agent: 'demo' })
  await settled(studio, run.runId, 'completed')

  const page = await open(t, studio.address)
  const tools = await page.context().newCDPSession(page)
  await tools.send('Performance.enable')
  const heap = async () => {
    await tools.send('HeapProfiler.collectGarbage')
    const { metrics } = await tools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'JSHeapUsedSize').value / 2 ** 20
  }
  await button(page, 'New thread').first().waitFor()
  const before = await heap()
  await page.goto(`${studio.address}#/t/${run.threadId}`)
  await rows(page).filter({ hasText: 'All written.' }).waitFor()
  const opened = await heap()

  const feed = page.getByRole('feed', { name: 'Thread' })
  for (let n = many - 1; n >= 0; n -= 20) {
    const line = page.locator(`[role=feed] [data-call-id="c${n}"]`)
    await until(`the row of call ${n}`, async () => {
      if ((await line.count()) > 0) {
        // At once: a row out of sight may leave the page.
        return line.evaluate((row) => {
          row.scrollIntoView({ block: 'center' })
          const line = row.querySelector('[aria-expanded]')
          if (line.ariaExpanded === 'false') line.click()
          return line.ariaExpanded === 'true'
        })
      }
      // A group keeps its place when it is opened: what is in it stands below, the last of the thread at its end.
      await feed.evaluate(async (list) => {
        const folded = [...list.querySelectorAll('[data-row=group] [aria-expanded=false]')].at(-1)
        folded?.click()
        for (let i = 0; i < 4; i++) await new Promise((resolve) => requestAnimationFrame(resolve))
        list.scrollBy(0, folded ? list.scrollHeight : -300)
      })
      return false
    })
    await line.locator('[data-block]').first().waitFor()
    await until(`what call ${n} wrote`, async () => (await line.innerText()).includes(`file number ${n}`))
    await line
      .locator('[aria-expanded=true]')
      .first()
      .evaluate((shown) => shown.click())
  }
  const looked = await heap()

  await page.keyboard.press('Control+f')
  await page.getByRole('textbox', { name: 'Find in thread' }).fill('THE NEEDLE of file')
  await page.getByRole('status').filter({ hasText: '1 of 1' }).waitFor()
  const hit = page.locator('[role=feed] [data-call-id="c150"]')
  await until('the row with the needle', async () => (await hit.innerText()).includes('the needle of file 150'))
  const found = await heap()

  const mb = (n) => `${n.toFixed(1)} MB`
  console.log(
    `heap: ${mb(before)} without a thread, ${mb(opened)} with it, ${mb(looked)} after 10 rows, ${mb(found)} after find`,
  )
  assert.ok(opened < before + 15, 'an open thread holds none of its large values')
  assert.ok(Math.max(looked, found) < before + 60, 'few of them are kept')
  assert.deepEqual(page.faults, [])
})
