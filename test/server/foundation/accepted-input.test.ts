import t from 'tap'
import type { Endpoint } from '../../../server/endpoints.ts'
import { endpointsOfApp } from '../../support/app-endpoints.ts'
import { startWorkroom } from '../../support/workroom.ts'

const room = '/api/rooms/general'
const project = '/v1/fs/projects/general'

/** Fills in every parameter; unknown input is refused before anything is looked up. */
const addressOf = ({ path }: Endpoint) => path.replace(/[:*]\w+/g, 'general')

t.test(
  'every JSON endpoint and every route of the tree refuses unknown fields and parameters, by name',
  async (t) => {
    const { request, workspace } = await startWorkroom(t)
    const endpoints = endpointsOfApp(workspace).filter(({ path }) => /^\/(?:api|v1)\//.test(path))
    t.ok(endpoints.length > 130, `${endpoints.length} endpoints`)
    for (const endpoint of endpoints) {
      const { method, accepts } = endpoint
      const path = addressOf(endpoint)
      const inTree = path.startsWith('/v1/fs')
      const what = `${method} ${endpoint.path}`
      const status = inTree ? 422 : 400
      const refusalOf = async (asked: string, options = {}) => {
        const response = await request(method, asked, options)
        t.equal(response.status, status, what)
        return inTree ? response.json.message : response.json.error
      }
      const parameters = await refusalOf(`${path}?xylophone=1&zither`)
      t.match(parameters, /no parameter \?xylophone=, \?zither= here/, what)
      for (const name of Object.keys(accepts!.query))
        t.match(parameters, `?${name}=`, `${what} names its parameters`)
      if (typeof accepts!.body === 'object' || accepts!.body === 'none') {
        const fields = await refusalOf(path, { body: { xylophone: 1, zither: null } })
        t.match(fields, /no field xylophone, zither here/, what)
      }
    }
  },
)

t.test('an unknown name that is close to a known one is answered with the known one', async (t) => {
  const { request } = await startWorkroom(t)
  const refusal = async (method: string, path: string, body?: object) => {
    const { status, json } = await request(method, path, { body })
    return [status, json.message ?? json.error]
  }
  t.match(await refusal('GET', `${room}/messages?threadId=msg_1`), [
    400,
    'There is no parameter ?threadId= (did you mean ?thread=?) here. The parameters are ?limit=, ?cursor=, ?thread=, ?fields=.',
  ])
  t.match(await refusal('GET', '/v1/search?q=x&author=ada'), [400, /no parameter \?author= here/])
  t.match(await refusal('GET', '/api/asks?assignee=ada'), [400, /no parameter \?assignee= here/])
  t.match(await refusal('GET', `${project}/docs/x.md?vew=blocks`), [422, /\?vew= \(did you mean \?view=\?\)/])
  t.match(await refusal('POST', `${room}/messages`, { body: 'Hi', parentId: 'msg_1', replyTo: 'msg_1' }), [
    400,
    'There is no field parentId (did you mean threadId?), replyTo (did you mean threadId?) here. The fields are body, threadId.',
  ])
  t.match(await refusal('POST', '/api/inbox/read', { messageId: 'msg_1' }), [
    400,
    /messageId \(did you mean ids\?\)/,
  ])
  t.match(await refusal('POST', '/api/asks/ask_1/resolve', { result: 'Done.' }), [
    400,
    /result \(did you mean resolution\?\)/,
  ])
  t.match(await refusal('POST', '/api/asks', { project: 'general', title: 'T', assignee: 'Ada' }), [
    400,
    /assignee \(did you mean assignees\?\)/,
  ])
  t.match(await refusal('PATCH', room, { visibility: 'closed' }), [
    400,
    /no field visibility here\. The fields are name, description/,
  ])
  t.match(await refusal('POST', `${project}/board/02-todo/1/_move`, { column: '04-done' }), [
    422,
    /column \(did you mean toColumn\?\).*must contain the field toColumn/,
  ])
  const { page } = (await request('GET', `${room}/messages`)).json
  t.same(page, [], 'nothing is done')
})

t.test('one answer names everything that is wrong with the fields, and stays short', async (t) => {
  const { request } = await startWorkroom(t)
  const { json } = await request('POST', '/api/asks', {
    body: { titel: 'T', body: 7, options: 'yes', 'no word': 1 },
  })
  t.match(json.error, /titel \(did you mean title\?\), "no word" here/)
  t.match(json.error, /must contain the field title, a text/)
  t.match(json.error, /field body must be a text.*field options must be a list of texts/)
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`x${'y'.repeat(90)}${n}`, n]))
  const long = await request('POST', '/api/asks', { body: many })
  t.match([long.status, long.json.error], [400, /and 4980 more here/])
  t.ok(long.text.length < 3000)
})

t.test('an empty body counts as none, and any other is refused where none is taken', async (t) => {
  const { request } = await startWorkroom(t)
  for (const body of ['', '{}', ' { } ', 'null']) {
    t.equal((await request('POST', `${room}/join`, { body })).status, 200, JSON.stringify(body))
  }
  for (const body of ['hello', '[1]', '"x"', 'a=b']) {
    const { status, json } = await request('POST', `${room}/join`, { body })
    t.match([status, json.error], [400, 'This request takes no body.'], body)
  }
  for (const options of [
    { body: 'x'.repeat(100_000) },
    { body: 'x', headers: { 'Content-Encoding': 'gzip' } },
  ]) {
    const { status, json } = await request('POST', `${room}/join`, options)
    t.match([status, json.error], [400, 'This request takes no body.'], 'whatever the body is')
  }
  const reading = await request('GET', '/api/asks', { body: { state: 'open' } })
  t.match([reading.status, reading.json.error], [400, /no field state here/])
})

t.test('a form that uploads a file may contain nothing else', async (t) => {
  const { request } = await startWorkroom(t)
  const boundary = 'limit-of-parts'
  const part = (name: string, more: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`
  const file = part('file', '; filename="a.txt"', 'words')
  for (const parts of [part('folder', '', 'x') + file, file + part('folder', '', 'x')]) {
    const response = await request('POST', `${project}/library/files`, {
      headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
      body: `${parts}--${boundary}--\r\n`,
    })
    t.match([response.status, response.json.message], [422, /There is no field folder here.*the field file/])
  }
  t.same((await request('GET', `${project}/library/files`)).json.files, [], 'nothing is kept')
})

t.test('fields and parameters that the interface documents are accepted', async (t) => {
  const { request } = await startWorkroom(t)
  const events = await request(
    'GET',
    '/v1/events?since=0&wait=soon&project=general&self=include&includeOwn=1&doc=doc_x',
  )
  t.equal(events.status, 200)
  t.equal((await request('GET', '/v1/events?wait=0&touch=workspace&touched=')).status, 200)
  const both = await request('POST', '/api/asks', {
    body: { project: 'general', projectId: 'general', title: 'One' },
  })
  t.equal(both.status, 201)
  const { project: record } = (await request('GET', '/v1/projects/general')).json
  for (const name of ['project', 'projectId']) {
    t.equal(
      (await request('POST', '/api/asks', { body: { [name]: record._id, title: 'Two' } })).status,
      201,
      name,
    )
    t.equal(
      (await request('POST', '/v1/posts', { body: { [name]: 'general', title: name, body: 'T' } })).status,
      201,
    )
    t.equal(
      (await request('POST', '/api/rooms', { body: { [name]: 'general', name, type: 'open' } })).json
        .projectId,
      record._id,
    )
    const skill = {
      [name]: 'general',
      name: name.toLowerCase(),
      expectedVersion: 0,
      expectedDraftRevision: 0,
    }
    const files = { 'SKILL.md': `---\nname: ${name.toLowerCase()}\ndescription: Label.\n---\n# S\n` }
    t.equal((await request('POST', '/v1/skills', { body: { ...skill, files } })).status, 201)
    const saved = { ...skill, expectedDraftRevision: 1 }
    t.equal((await request('POST', '/v1/skills/publish', { body: saved })).status, 200)
  }
  const twoProjects = await request('POST', '/api/asks', {
    body: { project: 'general', projectId: 'prj_other', title: 'Three' },
  })
  t.match([twoProjects.status, twoProjects.json.error], [400, /project and projectId/])
})
