import type { StreamParser } from '@codemirror/streamparser'

export type Language = StreamParser<unknown>

type Load = () => Promise<Language>

const clike = (name: 'c' | 'cpp' | 'java' | 'csharp' | 'kotlin' | 'scala' | 'objectiveC' | 'dart') => () =>
  import('@codemirror/legacy-modes/mode/clike').then((mode) => mode[name])
const script = (name: 'javascript' | 'typescript' | 'json') => () =>
  import('@codemirror/legacy-modes/mode/javascript').then((mode) => mode[name])
const markup = (name: 'html' | 'xml') => () => import('@codemirror/legacy-modes/mode/xml').then((mode) => mode[name])
const style = (name: 'css' | 'sCSS' | 'less') => () =>
  import('@codemirror/legacy-modes/mode/css').then((mode) => mode[name])

/** The languages by name, each with its other names and the endings of its files. Each mode is a chunk of its own. */
const languages: [names: string, load: Load][] = [
  ['go golang', () => import('@codemirror/legacy-modes/mode/go').then((mode) => mode.go)],
  ['javascript js jsx mjs cjs', script('javascript')],
  ['typescript ts tsx mts cts', script('typescript')],
  ['json jsonl json5 jsonc ndjson webmanifest', script('json')],
  ['python py pyi python3', () => import('@codemirror/legacy-modes/mode/python').then((mode) => mode.python)],
  ['shell sh bash zsh console shellscript', () => import('@codemirror/legacy-modes/mode/shell').then((m) => m.shell)],
  ['powershell ps1 pwsh', () => import('@codemirror/legacy-modes/mode/powershell').then((mode) => mode.powerShell)],
  ['rust rs', () => import('@codemirror/legacy-modes/mode/rust').then((mode) => mode.rust)],
  ['ruby rb', () => import('@codemirror/legacy-modes/mode/ruby').then((mode) => mode.ruby)],
  ['swift', () => import('@codemirror/legacy-modes/mode/swift').then((mode) => mode.swift)],
  ['lua', () => import('@codemirror/legacy-modes/mode/lua').then((mode) => mode.lua)],
  ['perl pl pm', () => import('@codemirror/legacy-modes/mode/perl').then((mode) => mode.perl)],
  ['sql', () => import('@codemirror/legacy-modes/mode/sql').then((mode) => mode.standardSQL)],
  ['yaml yml', () => import('@codemirror/legacy-modes/mode/yaml').then((mode) => mode.yaml)],
  ['toml', () => import('@codemirror/legacy-modes/mode/toml').then((mode) => mode.toml)],
  [
    'ini properties env conf editorconfig',
    () => import('@codemirror/legacy-modes/mode/properties').then((m) => m.properties),
  ],
  ['dockerfile', () => import('@codemirror/legacy-modes/mode/dockerfile').then((mode) => mode.dockerFile)],
  ['diff patch', () => import('@codemirror/legacy-modes/mode/diff').then((mode) => mode.diff)],
  ['nginx', () => import('@codemirror/legacy-modes/mode/nginx').then((mode) => mode.nginx)],
  ['protobuf proto', () => import('@codemirror/legacy-modes/mode/protobuf').then((mode) => mode.protobuf)],
  ['http', () => import('@codemirror/legacy-modes/mode/http').then((mode) => mode.http)],
  ['c h', clike('c')],
  ['cpp c++ cc cxx hpp hh', clike('cpp')],
  ['java', clike('java')],
  ['csharp c# cs', clike('csharp')],
  ['kotlin kt kts', clike('kotlin')],
  ['scala', clike('scala')],
  ['objectivec objective-c mm', clike('objectiveC')],
  ['dart', clike('dart')],
  ['html htm vue svelte', markup('html')],
  ['xml svg xsl plist', markup('xml')],
  ['css', style('css')],
  ['scss', style('sCSS')],
  ['less', style('less')],
]

const byName = new Map(languages.flatMap(([names, load]) => names.split(' ').map((name) => [name, load] as const)))

/** The name under which a language is known here: of a fence's word, or of a file's ending or name. Undefined for others. */
export function languageName(word: string | undefined): string | undefined {
  const name = word
    ?.trim()
    .toLowerCase()
    .split(/[\s,{]/)[0]
  return name && byName.has(name) ? name : undefined
}

/** languageName of the file at a path. */
export function languageOfPath(path: string): string | undefined {
  const file = path.split(/[/\\]/).at(-1)?.toLowerCase() ?? ''
  return languageName(file.includes('.') ? file.slice(file.lastIndexOf('.') + 1) : file)
}

const loaded = new Map<Load, Language | undefined>()
const listeners = new Set<() => void>()
let version = 0

/** The language of a name that languageName gave, or undefined while it is being loaded. */
export function languageNow(name: string): Language | undefined {
  const load = byName.get(name)
  if (!load) return undefined
  if (loaded.has(load)) return loaded.get(load)
  loaded.set(load, undefined)
  load().then(
    (language) => {
      loaded.set(load, language)
      version++
      for (const listener of [...listeners]) listener()
    },
    (cause: unknown) => console.warn(`Code in ${name} stays without colours`, cause),
  )
  return undefined
}

/** Hears that a language has been loaded. */
export function subscribeLanguages(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Counts the languages that have been loaded. */
export const languagesVersion = () => version
