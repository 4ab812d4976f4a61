import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const project = '/v1/fs/projects/general'

t.test('an unknown path is 404 in the shape of its tree', async (t) => {
  const { request } = await startWorkroom(t)
  for (const path of [
    '/v1/fs/nothing',
    `${project}/nothing`,
    `${project}/posts/a/b`,
    `${project}/docs/a/_publish`,
  ]) {
    const response = await request('GET', path)
    t.strictSame([response.status, response.json.error], [404, 'not_found'], path)
  }
  for (const path of ['/nothing', '/v1', '/v1/nothing', '/api', '/V1/FS', '/v1/FS']) {
    const response = await request('GET', path)
    t.match([response.status, response.json], [404, { error: /No such path/i }], path)
  }
})

t.test('a wrong method is 405 and names the allowed ones', async (t) => {
  const { request } = await startWorkroom(t)
  const read = 'GET, HEAD'
  const file = 'DELETE, GET, HEAD, PATCH, PUT'
  const allowed: Record<string, string> = {
    '/v1/fs': read,
    '/v1/fs/README.md': read,
    '/v1/fs/me/api-key': read,
    '/v1/fs/inbox/mentions.md': read,
    '/v1/fs/rooms': read,
    '/v1/fs/rooms/x': read,
    '/v1/fs/projects': 'GET, HEAD, POST',
    [project]: read,
    [`${project}/posts`]: read,
    [`${project}/drafts`]: read,
    [`${project}/docs`]: read,
    [`${project}/library`]: read,
    [`${project}/library/documents`]: read,
    [`${project}/board`]: read,
    [`${project}/board/02-todo`]: read,
    [`${project}/trash`]: read,
    [`${project}/posts/x`]: file,
    [`${project}/drafts/x`]: file,
    [`${project}/docs/x`]: file,
    [`${project}/docs/guides/x`]: file,
    [`${project}/library/documents/x`]: file,
    [`${project}/board/02-todo/x`]: file,
    [`${project}/posts/x/_revisions`]: read,
    [`${project}/posts/x/_restore`]: 'POST',
    [`${project}/docs/guides/x/_revisions`]: read,
    [`${project}/docs/guides/x/_restore`]: 'POST',
    [`${project}/drafts/x/_publish`]: 'POST',
    [`${project}/board/02-todo/x/_move`]: 'POST',
    [`${project}/trash/x/_restore`]: 'POST',
    '/healthz': read,
  }
  for (const [path, allow] of Object.entries(allowed)) {
    for (const method of ['PATCH', 'OPTIONS', 'PROPFIND']) {
      if (allow.includes(method)) continue
      const response = await request(method, path)
      t.strictSame([response.status, response.headers.allow], [405, allow], `${method} ${path}`)
    }
    for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
      if (allow.includes(method)) continue
      const response = await request(method, path)
      t.strictSame([response.status, response.headers.allow], [405, allow], `${method} ${path}`)
      if (path.startsWith('/v1/fs')) t.equal(response.json.error, 'bad_request')
    }
  }
})

t.test('a hostile name is 404 or 422 and touches nothing', async (t) => {
  const { request } = await startWorkroom(t)
  const names = [
    '..',
    '%2e%2e',
    '..%2f..%2fx',
    '%2fetc%2fpasswd',
    '%5c',
    'a%00b',
    '%252e%252e',
    'C:',
    'a:b',
    'x.',
    'x%20',
    'CON.md',
    'a%0ab',
    `${'x'.repeat(300)}.md`,
    '.git',
    '.workroom',
    '.x.swp',
    '%ed%a0%80',
  ]
  for (const folder of ['posts', 'drafts', 'docs', 'docs/sub', 'board/02-todo']) {
    for (const name of names) {
      const response = await request('GET', `${project}/${folder}/${name}`)
      t.ok([400, 404, 422].includes(response.status), `${response.status} ${folder}/${name}`)
    }
  }
})

t.test('healthz needs no key', async (t) => {
  const { request } = await startWorkroom(t)
  const response = await request('GET', '/healthz', { key: undefined })
  t.strictSame([response.status, response.json], [200, { ok: true }])
  t.match(response.headers, { 'x-request-id': /^req_/ })
})
