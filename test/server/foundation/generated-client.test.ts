import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { generateApi } from 'swagger-typescript-api'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

t.setTimeout(240_000)

const run = promisify(execFile)

/** What somebody writes who has generated a client and knows nothing else. */
const program = `
import { Api, type Message, type Refusal } from './client.ts'

const [baseUrl, key] = process.argv.slice(2)
const api = new Api({ baseUrl: baseUrl!, baseApiParams: { headers: { Authorization: \`Bearer \${key}\` } } })

const rooms = (await api.api.listRooms()).data
const room: string = rooms[0]!._id
const { messageId } = (await api.api.postMessage(room, { body: 'Hello from a client' })).data
const { page } = (await api.api.listMessages(room, { limit: 5 })).data
const sent: Message | undefined = page.find(({ _id }) => _id === messageId)
const written = (await api.v1.writeTreeDoc('general', 'hours.md', '# Hours\\n')).data
const refusal = await api.api.getRoom('nowhere').then(() => null, (answer: { error: Refusal }) => answer.error)
console.log(JSON.stringify({ body: sent?.body, created: written.created, code: refusal?.code }))
`

const tsconfig = {
  compilerOptions: {
    strict: true,
    outDir: 'built',
    rewriteRelativeImportExtensions: true,
    target: 'es2023',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(process.cwd(), 'node_modules/@types')],
    noUncheckedIndexedAccess: true,
  },
  include: ['*.ts'],
}

t.test('a client in TypeScript that is generated from the description compiles and works', async (t) => {
  const { home, url, owner, request } = await startWorkroom(t)
  const folder = join(home, '../client')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const { json: spec } = await request('GET', '/openapi.json', { key: undefined })
  const { files } = await generateApi({ spec, output: false, httpClientType: 'fetch', silent: true })
  writeFileSync(join(folder, 'client.ts'), files[0]!.fileContent)
  writeFileSync(join(folder, 'program.ts'), program)
  const compiler = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  await t.resolves(run(process.execPath, [compiler, '-p', folder]))
  const { stdout } = await run(process.execPath, [join(folder, 'built/program.js'), url, owner.key])
  t.same(JSON.parse(stdout), { body: 'Hello from a client', created: true, code: 'not_found' })
})
