import t from 'tap'
import { connectMcp } from '../../support/mcp-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, owner } = workroom
const { client } = await connectMcp(t, workroom.url, { key: owner.key })
const files = 'projects/general/library/files'
const upload = (name: string, body: Buffer) =>
  request('POST', `/v1/fs/${files}?name=${name}`, { body, headers: { 'Content-Type': 'image/png' } })

t.test('an uploaded picture is read with the type that is listed', async (t) => {
  const bytes = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1')
  await upload('dot.png', bytes)
  const uri = `workroom://${files}/dot.png`
  const { resources } = await client.listResources()
  t.match(
    resources.find((resource) => resource.uri === uri),
    { mimeType: 'image/png' },
  )
  t.same((await client.readResource({ uri })).contents, [
    { uri, mimeType: 'image/png', blob: bytes.toString('base64') },
  ])
})

t.test('a file too large for a message is refused with a link to download it', async (t) => {
  await upload('large.png', Buffer.alloc(1024 * 1024 + 1, 1))
  const refused = await client
    .readResource({ uri: `workroom://${files}/large.png` })
    .catch((error: Error) => error.message)
  const [, path] = /Download it within an hour: http:\/\/[^/]+(\/download\/\S+)/.exec(String(refused)) ?? []
  t.ok(path, String(refused))
  t.equal((await request('GET', path!, { key: undefined })).status, 200)
})

t.test('a project’s home page is a resource and can be completed', async (t) => {
  const uri = 'workroom://projects/general/README.md'
  await request('PUT', '/v1/fs/projects/general/README.md', { body: '# General\n\nFor all.\n' })
  t.ok((await client.listResources()).resources.some((resource) => resource.uri === uri))
  t.match((await client.readResource({ uri })).contents, [{ mimeType: 'text/markdown', text: /For all\./ }])
  const complete = async (value: string) =>
    (
      await client.complete({
        ref: { type: 'ref/resource', uri: 'workroom://{+path}' },
        argument: { name: 'path', value },
      })
    ).completion
  t.match(await complete('projects/general/README'), { values: ['projects/general/README.md'], total: 1 })
  t.match(await complete('projects/general/d'), {
    values: ['projects/general/docs/', 'projects/general/drafts/'],
    hasMore: false,
  })
  for (const value of ['projects/absent/d', 'projects/absent/docs/', 'projects/general/plan.md/']) {
    t.same((await complete(value)).values, [], value)
  }
})
