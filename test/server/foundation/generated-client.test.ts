import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openApiTypes from 'openapi-typescript'
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const run = promisify(execFile)

/** A program by somebody who has generated a client and knows nothing else. */
const program = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

type Schemas = components['schemas']

const [baseUrl, key] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl: baseUrl!, headers: { Authorization: \`Bearer \${key}\` } })

function ok<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (error !== undefined) throw error
  return data!
}

const identity: string = ok(await client.GET('/v1/fs/me/api-key', { parseAs: 'text' }))
const id = /memberId: (.*)/.exec(identity)![1]!
const { name, role } = ok(await client.GET('/api/members/{id}', { params: { path: { id } } })).member

const messages = '/api/rooms/{roomId}/messages'
const [room] = ok(await client.GET('/api/rooms'))
const path = { roomId: room!._id }
const posted: Schemas['PostMessageBody'] = { body: 'Hello from a client' }
const { messageId } = ok(await client.POST(messages, { params: { path }, body: posted }))
const { page } = ok(await client.GET(messages, { params: { path, query: { limit: 5 } } }))
const sent: Schemas['Message'] | undefined = page.find(({ _id }) => _id === messageId)

const docs = '/v1/fs/projects/{project}/docs/{name}'
const params = { path: { project: 'general', name: 'hours.md' } }
const written = ok(await client.PUT(docs, {
  params,
  body: '# Hours\\n\\nOpen on Monday.\\n',
  bodySerializer: (text) => text,
  headers: { 'Content-Type': 'text/markdown' },
}))
const edits: Schemas['FileEdits'] = {
  edits: [{ find: 'Monday', replace: 'Tuesday' }, { append: 'Closed in May.\\n' }],
}
const edited = ok(await client.PATCH(docs, { params, body: edits }))
const text: string = ok(await client.GET(docs, { params, parseAs: 'text' }))

const { askId } = ok(await client.POST('/api/asks', { body: { project: 'general', title: 'Paint the door' } }))
const { claimedBy } = ok(await client.POST('/api/asks/{askId}/claim', { params: { path: { askId } } }))
const claimed = await client.GET('/api/asks', { params: { query: { state: 'claimed' } } })
const asks: Schemas['Ask'][] = ok(claimed).asks

const nowhere = await client.GET('/api/rooms/{roomId}', { params: { path: { roomId: 'nowhere' } } })
const refusal: Schemas['Refusal'] | undefined = nowhere.error
const missing = { edits: [{ find: 'Sunday', replace: 'Friday' }] }
const unmatched = await client.PATCH(docs, { params, body: missing })
const conflict: Schemas['TreeRefusal'] | undefined = unmatched.error
console.log(JSON.stringify({
  name, role, body: sent?.body, created: written.created, changed: edited.changed,
  text: text.slice(text.indexOf('# Hours')), isMine: claimedBy === id, asks: asks.map(({ title }) => title),
  code: refusal?.code, conflict: conflict?.error, found: conflict?.found,
}))
`

/** The output of both programs. */
const done = {
  name: 'Ada',
  role: 'owner',
  created: true,
  changed: true,
  text: '# Hours\n\nOpen on Tuesday.\nClosed in May.\n',
  isMine: true,
  asks: ['Paint the door'],
  code: 'not_found',
  conflict: 'conflict',
  found: 0,
}

const tsconfig = {
  compilerOptions: {
    strict: true,
    skipLibCheck: true,
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

t.test('a TypeScript client generated from the description compiles and works', async (t) => {
  const { home, url, owner, request } = await startWorkroom(t)
  const folder = join(home, '../client')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const { json: description } = await request('GET', '/openapi.json', { key: undefined })
  writeFileSync(join(folder, 'api.d.ts'), await openApiTypes(description))
  writeFileSync(join(folder, 'program.ts'), program)
  const compiler = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  await run(process.execPath, [compiler, '-p', folder])
  const { stdout } = await run(process.execPath, [join(folder, 'built/program.js'), url, owner.key])
  t.same(JSON.parse(stdout), { ...done, body: 'Hello from a client' })
})

/** Generates Python dataclasses from the models of the description. */
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

/** Sends requests with the standard library; the models must keep all that is sent and answered. */
const pythonProgram = `
import json, sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from models import (
    AskStateEnum, ClaimAskAnswer, CreateAskAnswer201, CreateAskBody, Edit, FileEdits, GetMemberAnswer, ListAsksAnswer,
    MessagePage, PostMessageAnswer201, PostMessageBody, Refusal, Room, TreeRefusal, Written,
)

url, key = sys.argv[1:]

def send(method, path, body=None):
    is_text = isinstance(body, str)
    data = None if body is None else (body if is_text else json.dumps(body.to_dict())).encode()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "text/markdown" if is_text else "application/json"}
    with urlopen(Request(url + path, data, headers, method=method)) as answer:
        return answer.read().decode()

def present(value):
    # The models do not tell what is null from what is not there.
    if isinstance(value, dict):
        return {name: present(one) for name, one in value.items() if one is not None}
    return [present(one) for one in value] if isinstance(value, list) else value

def read(model, answer):
    parsed = model.from_dict(answer)
    assert present(parsed.to_dict()) == present(answer), (parsed, answer)
    return parsed

def call(model, method, path, body=None):
    return read(model, json.loads(send(method, path, body)))

def refused(model, method, path, body=None):
    try:
        send(method, path, body)
    except HTTPError as answer:
        return read(model, json.load(answer))
    raise AssertionError(f"{method} {path} was not refused")

identity = dict(line.split(": ", 1) for line in send("GET", "/v1/fs/me/api-key").splitlines())
member = call(GetMemberAnswer, "GET", f"/api/members/{identity['memberId']}").member

rooms = [read(Room, row) for row in json.loads(send("GET", "/api/rooms"))]
messages = f"/api/rooms/{rooms[0].id}/messages"
sent = call(PostMessageAnswer201, "POST", messages, PostMessageBody(body="Hello from Python")).message_id
page = call(MessagePage, "GET", messages).page
body = next(message.body for message in page if message.id == sent)

document = "/v1/fs/projects/general/docs/hours.md"
written = call(Written, "PUT", document, "# Hours\\n\\nOpen on Monday.\\n")
edits = FileEdits(edits=[Edit(find="Monday", replace="Tuesday"), Edit(append="Closed in May.\\n")])
edited = call(Written, "PATCH", document, edits)
text = send("GET", document)

new_ask = CreateAskBody(project="general", title="Paint the door")
ask_id = call(CreateAskAnswer201, "POST", "/api/asks", new_ask).ask_id
claimed = call(ClaimAskAnswer, "POST", f"/api/asks/{ask_id}/claim")
asks = call(ListAsksAnswer, "GET", f"/api/asks?state={AskStateEnum.CLAIMED.value}").asks

refusal = refused(Refusal, "GET", "/api/rooms/nowhere")
conflict = refused(TreeRefusal, "PATCH", document, FileEdits(edits=[Edit(find="Sunday", replace="Friday")]))
print(json.dumps({
    "name": member.name, "role": member.role.value, "body": body,
    "created": written.created, "changed": edited.changed, "text": text[text.index("# Hours"):],
    "isMine": claimed.claimed_by == member.id, "asks": [ask.title for ask in asks],
    "code": refusal.code.value, "conflict": conflict.error.value, "found": conflict.found,
}))
`

t.test(
  'Python models generated from the description send requests and read the answers without loss',
  async (t) => {
    const { home, url, owner, request } = await startWorkroom(t)
    const folder = join(home, '../python')
    mkdirSync(folder)
    const { json } = await request('GET', '/openapi.json', { key: undefined })
    writeFileSync(join(folder, 'models.py'), await pythonModels(json.components.schemas))
    writeFileSync(join(folder, 'program.py'), pythonProgram)
    const python = (...args: string[]) =>
      run('python3', args, { cwd: folder }).catch((error) => {
        throw error.code === 'ENOENT'
          ? new Error('This test needs python3, 3.7 or later, on the PATH.')
          : error
      })
    await python('-W', 'error', '-m', 'compileall', '-q', '.')
    const { stdout } = await python('program.py', url, owner.key)
    t.same(JSON.parse(stdout), { ...done, body: 'Hello from Python' })
  },
)
