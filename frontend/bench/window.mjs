// How long the built window takes from its start to the first painted row, against an empty Wails window of the same tags.
import { spawn } from 'node:child_process'
import { open as openFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  atEnd,
  command,
  environment,
  folder,
  patience,
  program,
  says,
  script,
  serve,
  settled,
  start,
  until,
} from '../e2e/harness.mjs'
import { median, report } from './report.mjs'

const times = 5
const budgetMs = 1000
const root = fileURLToPath(new URL('../..', import.meta.url))
const screen = { width: 1400, height: 900, pixel: 4 }

/** The colour of the empty page, as the screen's file has it. */
const green = Buffer.from([0x3a, 0x6b, 0x1b])

/** Where the list of threads stands in the window, which is at the screen's corner, and where an empty page shows its colour. */
const list = { x: 8, y: 100, width: 240, height: 300 }

export async function bench(t) {
  const data = await folder(t)
  const path = await script(t, says('Hello.'))
  const studio = await serve(t, { data, args: ['--script', path, '--folder', await folder(t)] })
  const run = await start(studio, 'Good morning.')
  await settled(studio, run.runId, 'completed')
  await studio.stop()
  const empty = await emptyWindow(t)
  const display = await xserver(t)
  const [ours, theirs] = [[], []]
  for (let i = 0; i < times; i++) {
    theirs.push(await paints(t, display, empty, [], (pixels) => pixels.includes(green)))
    ours.push(await paints(t, display, program, ['--data', data], (pixels) => colours(pixels) > 100))
  }
  const more = median(ours) - median(theirs)
  report('window_to_the_first_row', times, [median(ours), 'ms'])
  report('window_without_a_page', times, [median(theirs), 'ms'])
  report('window_more_than_empty', times, [more, 'ms', budgetMs])
}

/** How many colours there are: text has many shades, a list without a row a few. */
function colours(pixels) {
  return new Set(new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length / screen.pixel)).size
}

/** Starts a window and returns the ms until the list's place shows what is waited for. */
async function paints(t, display, path, args, shows) {
  const home = await folder(t)
  const env = environment({ DISPLAY: `:${display.number}`, HOME: home, XDG_RUNTIME_DIR: home, NO_AT_BRIDGE: '1' })
  const blank = await display.read(list)
  const began = performance.now()
  const child = spawn(path, args, { env, stdio: 'ignore' })
  const closed = new Promise((resolve) => child.on('close', resolve))
  atEnd(t, () => child.kill('SIGKILL'))
  while (!shows(await display.read(list))) {
    if (performance.now() - began > patience) throw new Error(`${path} painted nothing in ${patience / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const took = performance.now() - began
  child.kill('SIGTERM')
  await closed
  await until('the screen to be empty', async () => (await display.read(list)).equals(blank))
  return took
}

/** Starts an X server whose screen can be read from a file, and returns its number and what reads a rectangle of it. */
async function xserver(t) {
  const dir = await folder(t)
  const size = `${screen.width}x${screen.height}x24`
  const child = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', size, '-fbdir', dir, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  let number = ''
  child.stdio[3].setEncoding('utf8').on('data', (text) => (number += text))
  atEnd(t, () => child.kill())
  await until('the X server', () => number.includes('\n'))
  const file = await openFile(join(dir, 'Xvfb_screen0'))
  atEnd(t, () => file.close())
  const head = Buffer.alloc(100)
  await file.read(head, 0, 100, 0)
  // An XWD file: the size of its head, then its colours at 12 bytes each, then the pixels.
  const pixels = head.readUInt32BE(0) + head.readUInt32BE(76) * 12
  const line = head.readUInt32BE(48)
  const read = async ({ x, y, width, height }) => {
    const rows = Buffer.alloc(line * height)
    await file.read(rows, 0, rows.length, pixels + y * line)
    const [from, to] = [x * screen.pixel, (x + width) * screen.pixel]
    return Buffer.concat(Array.from({ length: height }, (_, i) => rows.subarray(i * line + from, i * line + to)))
  }
  return { number: number.trim(), read }
}

/** Builds a window with nothing in it from the modules of this project. */
async function emptyWindow(t) {
  const dir = await folder(t)
  const [source, path] = [join(dir, 'main.go'), join(dir, 'empty')]
  await writeFile(source, emptyProgram)
  const flags = ['-C', root, 'build', '-tags', 'desktop,production,webkit2_41', '-o', path, source]
  const env = { ...process.env, CGO_ENABLED: '1' }
  const { status, stderr } = await command('go', flags, env)
  if (status !== 0) throw new Error(`build an empty window: ${stderr}`)
  return path
}

const emptyProgram = `package main

import (
	"log"
	"net/http"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
)

func main() {
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Empty</title><body style='background:#1b6b3a'>"))
	})
	err := wails.Run(&options.App{
		Title: "Empty", Width: 1280, Height: 800,
		AssetServer: &assetserver.Options{Handler: page},
		Linux:       &linux.Options{ProgramName: "empty", WebviewGpuPolicy: linux.WebviewGpuPolicyNever},
	})
	if err != nil {
		log.Fatal(err)
	}
}
`
