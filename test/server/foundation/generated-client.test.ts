import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core'
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

/** The models of the description as Python dataclasses. */
async function pythonModels(schemas: object): Promise<string> {
  const input = new JSONSchemaInput(new FetchingJSONSchemaStore())
  const schema = JSON.stringify({ components: { schemas } })
  await input.addSource({ name: 'Models', schema, uris: ['#/components/schemas/'] })
  const inputData = new InputData()
  inputData.addInput(input)
  const { lines } = await quicktype({
    inputData,
    lang: 'python',
    rendererOptions: { 'python-version': '3.7' },
  })
  return lines.join('\n')
}

/** Requests by the standard library, answers by the models. */
const pythonProgram = `
import json, sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from models import message_page_from_dict, refusal_from_dict, room_from_dict

url, key = sys.argv[1:]

def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    with urlopen(Request(url + path, data, headers, method=method)) as answer:
        return json.load(answer)

room = [room_from_dict(row) for row in call("GET", "/api/rooms")][0]
messages = f"/api/rooms/{room.id}/messages"
sent = call("POST", messages, {"body": "Hello from Python"})["messageId"]
page = message_page_from_dict(call("GET", messages))
body = next(message.body for message in page.page if message.id == sent)
try:
    call("GET", "/api/rooms/nowhere")
except HTTPError as answer:
    refusal = refusal_from_dict(json.load(answer))
print(json.dumps({"room": room.name, "body": body, "code": refusal.code.value}))
`

t.test('models in Python that are generated from the description read the answers', async (t) => {
  const { home, url, owner, request } = await startWorkroom(t)
  const folder = join(home, '../python')
  mkdirSync(folder)
  const { json } = await request('GET', '/openapi.json', { key: undefined })
  writeFileSync(join(folder, 'models.py'), await pythonModels(json.components.schemas))
  writeFileSync(join(folder, 'program.py'), pythonProgram)
  const { stdout } = await run('python3', [join(folder, 'program.py'), url, owner.key]).catch((error) => {
    throw error.code === 'ENOENT' ? new Error('This test needs python3, 3.7 or later, on the PATH.') : error
  })
  t.same(JSON.parse(stdout), { room: 'general', body: 'Hello from Python', code: 'not_found' })
})
