import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

t.test('a list has the fields that are asked for, and unknown names are refused', async (t) => {
  const { request } = await startWorkroom(t)
  await request('POST', '/api/rooms/general/messages', { body: { body: 'Hello' } })
  await request('PUT', '/v1/fs/projects/general/docs/guides/setup.md', { body: '# Setup\n\nFirst.\n' })

  const rooms = await request('GET', '/api/rooms?fields=name,type')
  t.same(rooms.json, [{ name: 'general', type: 'open' }])
  const { json: messages } = await request('GET', '/api/rooms/general/messages?fields=body&limit=1')
  t.same(messages.page, [{ body: 'Hello' }])
  t.equal(messages.isDone, true, 'fields beside the rows stay')
  const { json: folder } = await request('GET', '/v1/fs/projects/general/docs/guides?fields=title')
  t.same(folder, { project: 'general', folder: 'guides', documents: [{ title: 'Setup' }] })
  const { json: view } = await request(
    'GET',
    '/v1/fs/projects/general/docs/guides/setup.md?view=blocks&fields=text',
  )
  t.same(view.blocks.at(-1), { text: 'First.' })

  const unknown = await request('GET', '/api/rooms?fields=nmae')
  t.equal(unknown.status, 400)
  t.match(
    unknown.json.error,
    'There is no field nmae (did you mean name?) in this list. The fields are _id, name,',
  )
  t.equal((await request('GET', '/v1/fs/projects?fields=id')).status, 422)
  const file = await request('GET', '/v1/fs/projects/general/docs/guides/setup.md?fields=title')
  t.equal(file.status, 400)
  t.match(file.json.message, /not a list/)
  t.notOk(file.headers.etag)
  t.equal((await request('GET', '/api/rooms/general?fields=name')).status, 400, 'a room is not a list')
})

t.test('every list takes fields', async (t) => {
  const { request } = await startWorkroom(t)
  const { json } = await request('GET', '/openapi.json', { key: undefined })
  const takes = (path: string) =>
    json.paths[path].get.parameters?.some(({ name }: { name: string }) => name === 'fields') ?? false
  const lists = Object.keys(json.paths).filter((path) => json.paths[path].get?.operationId.startsWith('list'))
  t.ok(lists.length > 30)
  for (const path of lists) t.ok(takes(path), path)
  for (const path of ['/api/rooms/{roomId}', '/v1/events', '/api/asks/{askId}']) t.notOk(takes(path), path)
})
