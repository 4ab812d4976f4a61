import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home } = workroom
const project = '/v1/fs/projects/general'
const files = `${project}/library/files`
const put = (name: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  request('PUT', `${files}/${name}`, { body, headers })
async function upload(name: string, body: string | Buffer) {
  const { json } = await request('POST', `${files}?name=${encodeURIComponent(name)}`, { body })
  return { json, headers: (await request('GET', json.path)).headers }
}
const onDisk = (name: string) => readFileSync(join(home, 'projects/general/files', name), 'utf8')
const binary = (first: number) => Buffer.from([first, 0, 255, 254])

t.test(
  'an uploaded file is replaced by PUT with the ETag of a read, and the old one can be restored',
  async (t) => {
    const made = await upload('notes/plan.txt', 'One.\n')
    const read = await request('GET', `${files}/notes/plan.txt`)
    t.equal(read.headers.etag, made.headers.etag)
    const replaced = await put('notes/plan.txt', 'Two.\n', { 'If-Match': read.headers.etag! })
    t.match([replaced.status, replaced.json], [201, { path: made.json.path, size: 5 }])
    t.not(replaced.headers.etag, made.headers.etag)
    t.equal((await request('GET', `${files}/notes/plan.txt`)).text, 'Two.\n')
    const { trash } = (await request('GET', `${project}/trash`)).json
    t.match(trash, [{ kind: 'file', filename: 'files/notes/plan.txt' }])
    t.equal((await request('POST', trash[0].path)).status, 201)
    t.match([onDisk('notes/plan.txt'), onDisk('notes/plan-2.txt')], ['Two.\n', 'One.\n'])
  },
)

t.test('a binary file has an ETag as well', async (t) => {
  await upload('photo.bin', binary(1))
  const { headers, json } = await request('GET', `${files}/photo.bin`)
  t.match([headers.etag, json], [/^"[0-9a-f]{20}"$/, { size: 4 }])
  t.equal((await put('photo.bin', binary(2), { 'If-Match': headers.etag! })).status, 201)
  const stale = await put('photo.bin', binary(3), { 'If-Match': headers.etag! })
  t.match([stale.status, stale.json.message], [409, /^FILE_CONFLICT: changed in another session/])
  t.equal(onDisk('photo.bin').charCodeAt(0), 2)
})

t.test('no file is replaced without its ETag', async (t) => {
  const { headers } = await upload('kept.txt', 'Kept.\n')
  const refused = await put('KEPT.txt', 'Lost.\n')
  t.match(refused, {
    status: 409,
    headers: { etag: headers.etag },
    json: { message: /^FILE_CONFLICT: there is a file of this name already\. Send If-Match/ },
  })
  const old = { 'If-Match': '"00000000000000000000"' }
  t.equal((await put('kept.txt', 'Lost.\n', old)).status, 409)
  t.equal((await put('missing.txt', 'New.\n', old)).status, 409)
  t.equal((await put('kept.txt', 'Lost.\n', { 'If-None-Match': '*' })).status, 409)
  const none = await put('kept.txt/below.txt', 'Lost.\n')
  t.match([none.status, none.headers.allow, none.json.message], [405, /PUT/, /POST to the folder/])
  t.equal(onDisk('kept.txt'), 'Kept.\n')
  t.equal((await put('kept.txt', 'Meant.\n', { 'If-Match': '*' })).status, 201)
})

t.test('of several writers with the same ETag, one replaces the file', async (t) => {
  const { headers } = await upload('raced.txt', 'Zero.\n')
  const names = Array.from({ length: 8 }, (_, n) => `Writer ${n}.\n`)
  const responses = await Promise.all(
    names.map((text) => put('raced.txt', text, { 'If-Match': headers.etag! })),
  )
  t.equal(responses.filter(({ status }) => status === 201).length, 1)
  t.equal(onDisk('raced.txt'), names[responses.findIndex(({ status }) => status === 201)])
})

t.test('replacing a file needs membership of the project, and the scope', async (t) => {
  const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
  const reader = await workroom.addMember(
    { name: 'Reader', type: 'agent', scopes: ['documents:read'] },
    'general',
  )
  for (const { key } of [stranger, reader]) {
    t.equal(
      (await request('PUT', `${files}/kept.txt`, { key, body: 'x', headers: { 'If-Match': '*' } })).status,
      403,
    )
  }
})
