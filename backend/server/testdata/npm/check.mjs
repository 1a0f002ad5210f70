// Reads an OpenAPI document from stdin, holds it to OpenAPI's own schema, makes the types of a client of it, and compiles client.ts with
// them. It prints what is wrong, a line each; nothing when all is well.
import { text } from 'node:stream/consumers'
import { Validator } from '@seriousme/openapi-schema-validator'
import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

const document = JSON.parse(await text(process.stdin))

const validated = await new Validator().validate(structuredClone(document))
if (!validated.valid) console.log(`the document does not fit OpenAPI's schema: ${JSON.stringify(validated.errors)}`)

const made = astToString(await openapiTS(document, { silent: true }))
const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] }
const host = ts.createCompilerHost(options)
const { getSourceFile, fileExists } = host
host.fileExists = (name) => name.endsWith('/made.ts') || fileExists(name)
host.getSourceFile = (name, version, ...rest) =>
  name.endsWith('/made.ts') ? ts.createSourceFile(name, made, version) : getSourceFile(name, version, ...rest)
const client = new URL('client.ts', import.meta.url).pathname
for (const d of ts.getPreEmitDiagnostics(ts.createProgram([client], options, host))) {
  console.log(`${d.file?.fileName}: ${ts.flattenDiagnosticMessageText(d.messageText, '\n')}`)
}
