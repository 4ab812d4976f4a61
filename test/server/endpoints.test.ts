import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Endpoint } from '../../server/endpoints.ts'
import { endpointsOfApp, endpointsOfRoutes } from '../support/app-endpoints.ts'
import { endpointTable } from '../support/endpoint-table.ts'
import { startWorkroom } from '../support/workroom.ts'

const { workspace } = await startWorkroom(t)
const endpoints = endpointsOfApp(workspace)

/** Leaves out the names of parameters, so that routes compare by their form. */
const anonymous = (path: string) => path.replace(/[:*]\w+/g, ':')

const project = '/v1/fs/projects/:slug'

/** Every row of the interface's tables, and the endpoints that its text names. */
const interfaceRows: [methods: string, path: string][] = [
  ['GET', '/api/rooms'],
  ['POST', '/api/rooms/:roomId/join'],
  ['GET POST', '/api/rooms/:roomId/messages'],
  ['PUT DELETE', '/api/rooms/:roomId/messages/:messageId'],
  ['POST DELETE', '/api/rooms/:roomId/typing'],
  ['GET', '/api/members'],
  ['POST', '/api/presence'],
  ['GET', '/v1/events'],
  ['GET', '/v1/presence'],
  ['GET', '/v1/fs'],
  ['GET', '/v1/fs/README.md'],
  ['GET', '/v1/fs/me/api-key'],
  ['GET', '/v1/fs/inbox/mentions.md'],
  ['GET', '/v1/fs/rooms'],
  ['GET', '/v1/fs/rooms/:room'],
  ['GET', '/v1/fs/audit/usage.md'],
  ['GET POST', '/v1/fs/projects'],
  ['GET', project],
  ...['posts', 'drafts'].flatMap((folder): [string, string][] => [
    ['GET', `${project}/${folder}`],
    ['GET PUT DELETE', `${project}/${folder}/:file`],
    ['GET', `${project}/${folder}/:file/attachments`],
    ['GET', `${project}/${folder}/:file/attachments/:id`],
  ]),
  ['GET', `${project}/library`],
  ...['library/documents', 'docs'].flatMap((folder): [string, string][] => [
    ['GET', `${project}/${folder}`],
    ['GET PUT DELETE', `${project}/${folder}/:file`],
    ['POST', `${project}/${folder}/:file/_presence`],
    ['GET', `${project}/${folder}/:file/_backlinks`],
  ]),
  ['GET', `${project}/posts/:file/_backlinks`],
  ['POST', `${project}/posts/:file/_presence`],
  ...['library/files', 'artifacts'].flatMap((folder): [string, string][] => [
    ['GET', `${project}/${folder}`],
    ['GET', `${project}/${folder}/:name`],
  ]),
  ['GET', `${project}/library/repositories`],
  ['GET', `${project}/library/repositories/:dir`],
  ['GET', `${project}/library/repositories/:dir/:path`],
  ['GET', `${project}/board`],
  ['GET', `${project}/board/:column`],
  ['GET PUT DELETE', `${project}/board/:column/:file`],
  ['POST', `${project}/board/:column/:file/_move`],
  ['POST', `${project}/board/:column/:file/_presence`],
  ['GET', `${project}/board/:column/:file/_backlinks`],
  ['GET PUT', `${project}/plan.md`],
  ['GET', `${project}/map.md`],
  ['GET', `${project}/asks.md`],
  ['GET PUT', `${project}/links.md`],
  ['GET', `${project}/refs`],
  ['GET', `${project}/pulls`],
  ['GET', `${project}/pulls/:number`],
  ['GET', `${project}/skills`],
  ['GET', `${project}/skills/:name`],
  ['GET', `${project}/skills/:name/:path`],
  ['POST', '/v1/posts/:postId/comments'],
  ['POST', '/api/asks/:askId/claim'],
  ['GET POST', '/v1/projects'],
  ['POST', '/v1/posts'],
  ['POST', '/v1/skills'],
  ['POST', '/v1/skills/publish'],
  ['POST', '/v1/onboard'],
]

t.test('every endpoint of the interface exists', async (t) => {
  const there = new Set(endpoints.map(({ method, path }) => `${method} ${anonymous(path)}`))
  const named = interfaceRows.flatMap(([methods, path]) =>
    methods.split(' ').map((method) => `${method} ${anonymous(path)}`),
  )
  t.same(
    named.filter((endpoint) => !there.has(endpoint)),
    [],
  )
})

/** Leaves out the schemas, which differ from server to server. */
const namesIn = ({ method, path, purpose, accepts }: Endpoint) => ({
  method,
  path,
  purpose,
  query: accepts && Object.keys(accepts.query),
})

t.test('docs/api.md lists every endpoint and no other, each with its purpose', async (t) => {
  t.strictSame(endpointsOfRoutes().map(namesIn), endpoints.map(namesIn), 'the list needs no workspace')
  t.equal(
    readFileSync('docs/api.md', 'utf8'),
    endpointTable(endpoints),
    'npm run endpoints updates the table',
  )
  const without = endpoints.filter(({ purpose }) => !purpose || /[\n|]/.test(purpose))
  t.same(without, [])
})
