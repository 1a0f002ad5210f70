// What `make package` makes: what is in it, and that the program in it starts.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { command, folder, program } from './harness.mjs'
import { openWindow, showsAPage, xserver } from './window.mjs'
import { closeWindow } from './x11.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

async function make() {
  const version = (await command(program, ['--version'])).stdout.trim().split(' ')[1]
  const { stdout, stderr, status } = await command('sh', [join(root, 'build/package.sh'), version], process.env)
  assert.equal(status, 0, stderr)
  const [deb, tarball] = stdout
    .trim()
    .split('\n')
    .map((path) => join(root, path))
  const hash = async (path) =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  return { version, deb, tarball, hashes: [await hash(deb), await hash(tarball)] }
}

test('the packages hold what a desktop needs, are the same each time, and the program in them opens its window', async (t) => {
  const { version, deb, tarball, hashes } = await make()
  assert.deepEqual((await make()).hashes, hashes, 'the same commit gives the same bytes')

  const field = async (name) => (await command('dpkg-deb', ['-f', deb, name])).stdout.trim()
  assert.equal(await field('Version'), version)
  assert.match(await field('Depends'), /libgtk-3-0.*libwebkit2gtk-4\.1-0/)

  const dir = await folder(t)
  const unpacked = await command('dpkg-deb', ['-x', deb, dir])
  assert.equal(unpacked.status, 0, unpacked.stderr)
  for (const path of [
    'share/applications/callboard.desktop',
    'share/mime/packages/callboard.xml',
    'share/metainfo/localhost.callboard.callboard.metainfo.xml',
    'share/icons/hicolor/48x48/apps/callboard.png',
    'share/icons/hicolor/256x256/apps/callboard.png',
    'share/icons/hicolor/scalable/apps/callboard.svg',
    'share/doc/callboard/copyright',
    'share/doc/callboard/changelog.gz',
    'share/man/man1/callboard.1.gz',
  ]) {
    assert.ok((await readFile(join(dir, 'usr', path))).length > 0, path)
  }
  // Each module that is linked has its licence in the package.
  const copyright = await readFile(join(dir, 'usr/share/doc/callboard/copyright'), 'utf8')
  const linked = (await command('go', ['version', '-m', program], process.env)).stdout.matchAll(
    /^\tdep\t(\S+)\t(\S+)/gm,
  )
  const without = [...linked].filter(([, name, of]) => !copyright.includes(`${name} ${of} (Go): `))
  assert.deepEqual(without, [])
  assert.match(copyright, /^react [0-9.]+ \(npm\): MIT$/m)
  const listed = (await command('tar', ['-tzf', tarball])).stdout
  for (const name of ['callboard', 'README.md', 'LICENSE', 'LICENCES-OF-PARTS', 'INSTALL', 'callboard.desktop']) {
    assert.match(listed, new RegExp(`^callboard-${version}-linux-[a-z0-9]+/${name}$`, 'm'))
  }

  const display = await xserver(t)
  const window = await openWindow(t, display, await folder(t), [], {}, join(dir, 'usr/bin/callboard'))
  await showsAPage(window, 'package-window')
  await closeWindow(display, window.id)
  assert.deepEqual(await window.exited, { status: 0, signal: null }, window.log())
})
