import t from 'tap'
import { sendRaw } from '../../support/http-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request } = workroom
const project = '/v1/fs/projects/general'
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' })

const codes: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'bad_request',
  409: 'conflict',
  413: 'bad_request',
  422: 'unprocessable',
}

await request('PUT', `${project}/posts/p.md`, { body: '# P\n' })

const calls: [status: number, method: string, path: string, options?: Parameters<typeof request>[2]][] = [
  [400, 'GET', `${project}/docs/welcome.md?view=x`],
  [400, 'GET', `${project}/board/later`],
  [400, 'POST', '/v1/fs/projects', { body: '[' }],
  [401, 'GET', '/v1/fs', { key: undefined }],
  [401, 'GET', `${project}/nothing`, { key: undefined }],
  [401, 'GET', '/v1/fs', { key: 'wr_nobody' }],
  [403, 'GET', `${project}/docs`, { key: bot.key }],
  [404, 'GET', `${project}/docs/nothing.md`],
  [404, 'GET', '/v1/fs/projects/nothing/docs'],
  [404, 'GET', '/v1/fs/nothing'],
  [404, 'DELETE', `${project}/posts/nothing`],
  [404, 'POST', `${project}/trash/doc_nothing/_restore`],
  [405, 'POST', `${project}/docs/welcome.md`],
  [405, 'PUT', '/v1/fs/inbox/mentions.md', { body: '# X\n' }],
  [405, 'PUT', '/v1/fs/README.md', { body: '# X\n' }],
  [405, 'DELETE', project],
  [409, 'PUT', `${project}/posts/p.md`, { body: '# P\n\nMore.\n' }],
  [409, 'PUT', `${project}/docs/nothing.md`, { body: '# X\n', headers: { 'If-Match': '*' } }],
  [413, 'PUT', `${project}/docs/big.md`, { body: Buffer.alloc(2 * 1024 * 1024 + 1, 'a') }],
  [413, 'POST', '/v1/fs/projects', { body: { name: 'x'.repeat(1024 * 1024) } }],
  [422, 'PUT', `${project}/docs/x.md`, { body: 'no title' }],
  [422, 'PUT', `${project}/docs/x.md`, { body: '# X\n', headers: { 'If-Match': '' } }],
  [422, 'PUT', `${project}/docs/x.md`, { body: '# X\n', headers: { 'Content-Type': 'multipart/form-data' } }],
  [422, 'PUT', `${project}/docs/x.md`, { body: Buffer.from('# X \0\n') }],
  [422, 'PUT', `${project}/docs/x.md`, { body: Buffer.from([0x23, 0x20, 0xc3, 0x28]) }],
]

t.test('every refusal has the shape of the tree’s errors, its code and the id of the request', async (t) => {
  for (const [status, method, path, options] of calls) {
    const response = await request(method, path, options)
    t.equal(response.status, status, `${method} ${path}`)
    t.match(response.json, {
      error: codes[status],
      message: /\w/,
      requestId: response.headers['x-request-id']!,
    })
    t.match(response.headers, {
      'x-request-id': /^req_/,
      'content-type': 'application/json; charset=utf-8',
    })
    t.notMatch(response.json.message, 'undefined')
  }
})

t.test('the refusal of an unsupported method names the supported ones', async (t) => {
  for (const [path, words] of [
    [project, 'README.md'],
    [`${project}/docs`, 'PUT a file in it'],
    [`${project}/board/02-todo/`, 'PUT a file in it'],
    [`${project}/library/files/a.csv`, 'POST to the folder'],
    [`${project}/skills/tidy/SKILL.md`, 'POST /v1/skills'],
    [`${project}/map.md`, 'kind question'],
    [`${project}/asks.md`, 'POST /api/asks'],
    ['/v1/fs/rooms/general.md', '/messages'],
    ['/v1/fs/inbox/mentions.md', '/api/inbox/read'],
  ] as const) {
    const { status, json } = await request('PUT', path, { body: '# X\n' })
    t.match([status, json.message], [405, words], path)
  }
})

t.test('the refusal of a method that a folder does not support names the call probably meant', async (t) => {
  const cases: [method: string, path: string, words: string][] = [
    ['POST', `${project}/docs`, 'PUT a file in it'],
    ['POST', `${project}/library/documents/`, 'PUT a file in it'],
    ['PATCH', `${project}/posts`, 'PUT a file in it'],
    ['POST', `${project}/drafts`, 'PUT a file in it'],
    ['POST', `${project}/board/02-todo`, 'PUT a file in it'],
    ['POST', `${project}/board`, 'PUT board/02-todo/new.md'],
    ['DELETE', `${project}/docs`, 'DELETE the files in it'],
    ['DELETE', `${project}/board/02-todo`, 'DELETE the files in it'],
    ['DELETE', `${project}/library/files`, 'DELETE the files in it'],
    ['DELETE', `${project}/board`, 'columns are fixed'],
    ['PUT', `${project}/library`, 'PUT library/documents/'],
    ['PUT', `${project}/library/files`, 'POST to the folder'],
    ['PUT', `${project}/posts/p.md/attachments`, 'POST to …/attachments'],
    ['DELETE', `${project}/posts/p.md/attachments`, '/attachments/<id>'],
    ['POST', `${project}/library/repositories`, 'POST /v1/projects/<project>/repositories'],
    ['POST', `${project}/pulls`, 'A pull request is changed at its forge'],
    ['POST', `${project}/skills`, 'POST /v1/skills'],
    ['DELETE', `${project}/trash`, '_restore'],
    ['DELETE', project, 'PATCH /v1/projects/'],
    ['PUT', project, 'README.md'],
    ['PUT', '/v1/fs/projects', 'POST with {"name"} creates a project'],
    ['POST', '/v1/fs/rooms', 'POST /api/rooms'],
    ['POST', `${project}/docs/welcome.md`, 'PUT replaces the whole file'],
    ['POST', `${project}/board/02-todo/1`, '?block='],
    ['GET', `${project}/board/02-todo/1/_move`, 'toColumn'],
    ['GET', `${project}/docs/welcome.md/_restore`, 'revision'],
    ['DELETE', `${project}/plan.md`, 'empty body'],
  ]
  for (const [method, path, words] of cases) {
    const { status, json, headers } = await request(method, path, { body: undefined })
    t.match([status, json.message, headers.allow], [405, words, /\w/], `${method} ${path}`)
  }
})

t.test('the refusal of a missing or non-Bearer key says how to send it', async (t) => {
  for (const headers of [
    {},
    { Authorization: 'Basic eDp5' },
    { Authorization: 'Bearer' },
    { Authorization: workroom.owner.key },
  ]) {
    const { status, headers: answered } = await request('GET', '/v1/fs', { key: undefined, headers })
    t.match([status, answered['www-authenticate']], [401, 'Bearer'])
  }
  t.notOk((await request('GET', '/v1/fs', { key: 'wr_nobody' })).headers['www-authenticate'])
  for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
    const headers = { Authorization: `${scheme} ${workroom.owner.key}` }
    t.equal((await request('GET', '/v1/fs', { key: undefined, headers })).status, 200, scheme)
  }
})

t.test('the key of a deactivated member is invalid', async (t) => {
  const carol = await workroom.addMember({ name: 'Carol', type: 'human' }, 'general')
  t.equal((await request('GET', project, { key: carol.key })).status, 200)
  await workroom.workspace.stores.members.setStatus(carol.member.id, 'deactivated')
  t.equal((await request('GET', project, { key: carol.key })).status, 401)
})

t.test('somebody outside of the project may do nothing in it', async (t) => {
  for (const [method, path, body] of [
    ['GET', ''],
    ['GET', '/posts/p'],
    ['PUT', '/docs/x.md', '# X\n'],
    ['PUT', '/posts/x.md', '# X\n'],
    ['PUT', '/drafts/x.md', '# X\n'],
    ['PUT', '/board/todo/x.md', '# X\n'],
    ['DELETE', '/docs/welcome.md'],
    ['GET', '/docs/welcome.md/_revisions'],
    ['POST', '/docs/welcome.md/_restore', '{"revision":"x"}'],
    ['POST', '/trash/x/_restore'],
    ['GET', '/trash'],
  ] as const) {
    const { status, json } = await request(method, project + path, { key: bot.key, body })
    t.match([status, json.error], [403, 'forbidden'], `${method} ${path}`)
  }
})

t.test('markdown of exactly 2 MB is accepted, and can be read', async (t) => {
  const body = `# Big\n\n${'words of text\n'.repeat(200_000)}`.slice(0, 2 * 1024 * 1024)
  const { status, json } = await request('PUT', `${project}/docs/big.md`, { body })
  t.equal(status, 201)
  t.ok((await request('GET', json.path)).text.endsWith(body))
})

t.test('a body without a declared length is refused above the limit, too', async (t) => {
  const chunk = `${(65_536).toString(16)}\r\n${'a'.repeat(65_536)}\r\n`
  const answer = await sendRaw(
    workroom.url,
    `PUT ${project}/docs/x.md HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${workroom.owner.key}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(33)}0\r\n\r\n`,
  )
  t.match(answer, /^HTTP\/1\.1 413 /)
  t.match(answer, /"requestId":"req_/)
})

t.test(
  'a target without a path is 400, also for CONNECT and if the client takes compressed responses',
  async (t) => {
    for (const line of ['CONNECT x:443', 'GET foo://host', 'GET http://[']) {
      for (const more of ['', 'Accept-Encoding: gzip\r\n']) {
        const head = `Host: x\r\nConnection: close\r\n${more}`
        const answer = await sendRaw(workroom.url, `${line} HTTP/1.1\r\n${head}\r\n`)
        t.match(answer, /^HTTP\/1\.1 400 [\s\S]*"requestId":"req_/, `${line} ${more}`)
      }
    }
  },
)

t.test('headers beyond 16 kB are 431 with a request id', async (t) => {
  const answer = await sendRaw(
    workroom.url,
    `GET /v1/fs HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(17 * 1024)}\r\n\r\n`,
  )
  t.match(answer, /^HTTP\/1\.1 431 /)
  t.match(answer, /x-request-id: req_/i)
  t.match(answer, /"requestId":"req_/)
})

t.test('names that are invalid for a file are refused, and nothing is written', async (t) => {
  const deep = Array.from({ length: 9 }, (_, n) => `f${n}`).join('/')
  for (const name of [
    '%00',
    'a%2fb',
    'a%5cb',
    '..',
    '%2e%2e',
    '%2e%2e/x.md',
    `${deep}/x.md`,
    'CON/x.md',
    '.git/x.md',
    'a:b/x.md',
    'a%20/x.md',
    '%ff',
  ]) {
    const { status } = await request('PUT', `${project}/docs/${name}`, { body: '# Hostile\n' })
    t.ok([400, 404, 422].includes(status), `${name} ${status}`)
  }
  const { documents } = (await request('GET', `${project}/docs`)).json
  t.notOk(documents.some(({ title }: { title: string }) => title === 'Hostile'))
})
