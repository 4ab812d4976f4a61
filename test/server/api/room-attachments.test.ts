import { existsSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { backUp } from '../../../core/backup/backup.ts'
import { restore } from '../../../core/backup/restore.ts'
import { defaultConfig } from '../../../core/config.ts'
import { findDifferences } from '../../../core/doctor/index.ts'
import { breakableDisk, systemError } from '../../support/breakable-disk.ts'
import { type Actor, openChat } from '../../support/chat.ts'
import { stagedFiles } from '../../support/home-state.ts'
import type { RequestOptions } from '../../support/http-client.ts'
import { uploadForm } from '../../support/upload-form.ts'

const dayMs = 24 * 60 * 60 * 1000
const uploadBytes = 100_000
const disk = breakableDisk()
let commitFails = false
const beforeCommit = () => {
  if (commitFails) throw systemError('SQLITE_FULL')
}
const chat = await openChat(t, {
  config: { limits: { ...defaultConfig.limits, uploadBytes } },
  faults: { tree: { fs: disk.fs }, database: { beforeCommit } },
})
const { clock, home, request } = chat
const grace = await chat.person('Grace')
const linus = await chat.person('Linus')
const bot = await chat.agent('Bot')

interface Uploaded {
  id: string
  name: string
  path: string
}

const roomOf = async (creator: Actor, room = {}) => (await chat.room(creator, room))._id
const upload = (
  room: string,
  name: string,
  body: string | Uint8Array = 'some text',
  options: RequestOptions = {},
) =>
  request('POST', `/api/rooms/${room}/attachments?name=${encodeURIComponent(name)}`, {
    body,
    key: grace.key,
    ...options,
  })
const uploaded = async (...sent: Parameters<typeof upload>): Promise<Uploaded> => (await upload(...sent)).json
const statusOf = async ({ path }: Uploaded, { key }: Actor) => (await request('GET', path, { key })).status
const filesOf = (room: string) => {
  const folder = join(home, 'rooms', room)
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map(String)
        .filter((path) => path.includes('/'))
    : []
}
const link = ({ name, path }: Uploaded) => `[${name}](${path})`

t.test(
  'a member of a room can upload a file to it, and all members can read it at both addresses',
  async (t) => {
    const room = await roomOf(grace, { type: 'closed', members: [bot.member.id] })
    const picture = new Uint8Array([0x89, 0x50, 0, 0xff])
    const form = await uploadForm(['file', picture, 'Größe 1.png', 'image/png'])
    const sent = await request('POST', `/api/rooms/${room}/attachments`, { key: bot.key, ...form })
    t.match(sent, { status: 201, json: { name: 'Größe 1.png', type: 'image/png', size: 4 } })
    const { id, path } = sent.json
    t.equal(path, `/v1/fs/rooms/${room}/attachments/${id}`)
    t.strictSame(filesOf(room), [`${id}/Größe 1.png`])
    t.equal(statSync(join(home, 'rooms', room)).mode & 0o077, 0, 'no other account can read it')
    for (const at of [path, `/api/rooms/${room}/attachments/${id}`]) {
      const { status, headers, text } = await request('GET', at, {
        key: grace.key,
        headers: { Range: 'bytes=1-1' },
      })
      t.match([status, text, headers['content-range']], [206, 'P', 'bytes 1-1/4'])
      t.match(headers, {
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'private, no-cache',
      })
    }
    const page = (await upload(room, 'page.html', '<script>alert(1)</script>')).json
    t.match((await request('GET', page.path, { key: grace.key })).headers, {
      'content-disposition': 'attachment; filename="page.html"',
    })
    t.equal(await statusOf(sent.json, linus), 403)
    await chat.leave(bot, room)
    t.equal(await statusOf(sent.json, bot), 403, 'its uploader cannot read it after leaving')
  },
)

t.test('a link to a large file works for an hour, while its reader is in the room', async (t) => {
  const room = await roomOf(grace, { members: [linus.member.id] })
  const { id, name, path } = await uploaded(room, 'film.bin')
  truncateSync(join(home, 'rooms', room, id, name), 20 * 1024 * 1024 + 1)
  const refused = await request('GET', path, { key: linus.key })
  t.match(refused, { status: 413, json: { limitBytes: 20 * 1024 * 1024 } })
  const { pathname } = new URL(refused.json.downloadUrl)
  const download = async () => (await request('HEAD', pathname, { key: undefined })).status
  t.equal(await download(), 200)
  await chat.leave(linus, room)
  t.equal(await download(), 403)
  await chat.join(linus, room)
  t.equal(await download(), 200)
  clock.advance(3_600_000)
  t.equal(await download(), 403)
})

t.test('an attachment is deleted with the message that it was sent with, or by hand', async (t) => {
  const room = await roomOf(grace, { members: [linus.member.id] })
  const [sent, quoted, removed] = [
    await uploaded(room, 'sent.txt'),
    await uploaded(room, 'quoted.txt'),
    await uploaded(room, 'removed.txt'),
  ]
  const first = await chat.post(grace, room, `${link(sent)} ${link(removed)}`)
  const second = await chat.post(grace, room, link(quoted))
  const quote = await chat.post(linus, room, `> ${link(sent)} ${link(quoted)}`)
  await chat.remove(linus, room, quote)
  t.strictSame([await statusOf(sent, linus), await statusOf(quoted, linus)], [200, 200])
  const byHand = (actor: Actor) => chat.call(actor, 'DELETE', `/rooms/${room}/attachments/${removed.id}`)
  t.match(await byHand(linus), { status: 403, json: { error: /author or a workspace owner or admin/ } })
  t.match(await byHand(grace), { status: 200, json: { id: removed.id, deleted: true } })
  t.equal((await byHand(grace)).status, 404)
  await chat.remove(grace, room, first)
  t.strictSame(await Promise.all([sent, quoted, removed].map((one) => statusOf(one, linus))), [404, 200, 404])
  await chat.eventually(() => filesOf(room).length === 1)
  await chat.edit(grace, room, second, 'without')
  t.equal(await statusOf(quoted, linus), 200, 'it may be linked again')
  await chat.remove(grace, room, second)
  t.equal(await statusOf(quoted, linus), 200)
})

t.test('an attachment that no message links to is deleted after 30 days, also after a restart', async (t) => {
  const room = await roomOf(grace)
  const [kept, left, other] = [
    await uploaded(room, 'kept.txt'),
    await uploaded(room, 'left.txt'),
    await uploaded(room, 'other.txt'),
  ]
  await chat.post(grace, room, link(kept))
  clock.advance(29 * dayMs)
  t.equal(await statusOf(left, grace), 200)
  await chat.restart()
  clock.advance(dayMs + 2)
  await chat.eventually(() => filesOf(room).length === 1)
  t.strictSame(await Promise.all([kept, left, other].map((one) => statusOf(one, grace))), [200, 404, 404])
})

t.test('the file of a deleted attachment is removed once the disk allows it', async (t) => {
  const room = await roomOf(grace)
  const { id } = await uploaded(room, 'stuck.txt')
  disk.fail('unlinkSync', 'EIO', ([path]) => String(path).includes('stuck.txt'))
  t.equal((await chat.call(grace, 'DELETE', `/rooms/${room}/attachments/${id}`)).status, 200)
  await chat.eventually(() => chat.log.text().includes('stuck.txt is still on the disk'))
  disk.mend()
  t.equal(filesOf(room).length, 1)
  await chat.restart()
  await chat.eventually(() => !existsSync(join(home, 'rooms', room)))
})

t.test('an attachment that cannot be kept is refused with a message and leaves nothing', async (t) => {
  const room = await roomOf(grace)
  for (const [name, body, status, message] of [
    ['', 'x', 400, /name/],
    ['a/b', 'x', 400, /character \//],
    ['.env', 'x', 400, /temporary files/],
    ['big.bin', 'x'.repeat(uploadBytes + 1), 413, /at most 100000 bytes/],
  ] as const) {
    const response = await upload(room, name, body)
    t.match([response.status, response.json.error], [status, message], name)
  }
  const isOfRoom = ([, path]: unknown[]) => String(path).includes('/rooms/')
  for (const fail of [
    () => disk.fail('write', 'ENOSPC'),
    () => disk.fail('linkSync', 'ENOSPC', isOfRoom),
    () => {
      commitFails = true
    },
  ]) {
    fail()
    const response = await upload(room, 'a.txt')
    disk.mend()
    commitFails = false
    t.match(response, { status: 503, json: { error: /the disk is full/ } })
    t.notOk(existsSync(join(home, 'rooms', room)))
  }
  t.strictSame(stagedFiles(home), [])
  for (let n = 0; n < 100; n++) await uploaded(room, 'same.txt')
  t.match(await upload(room, 'same.txt'), { status: 400, json: { error: /no message links to/ } })
  t.equal(filesOf(room).length, 100)
})

t.test('a backup holds the files of rooms, and doctor compares them', async (t) => {
  const room = await roomOf(grace)
  const [kept, gone] = [await uploaded(room, 'kept.txt'), await uploaded(room, 'gone.txt')]
  await chat.post(grace, room, `${link(kept)} ${link(gone)}`)
  const at = ({ id, name }: Uploaded) => join(home, 'rooms', room, id, name)
  const folder = t.testdir()
  const [to, restored] = [join(folder, 'backup'), join(folder, 'restored')]
  rmSync(at(gone))
  await backUp({ home, to })
  await restore({ from: to, home: restored })
  t.ok(existsSync(join(restored, 'rooms', room, kept.id, 'kept.txt')))
  const isOfRoom = ({ path }: { path: string }) => path.startsWith(`rooms/${room}`)
  t.strictSame(
    (await findDifferences(restored)).findings.filter(isOfRoom),
    [],
    'the missing one is forgotten',
  )
  renameSync(at(kept), join(home, 'rooms', room, kept.id, 'unknown.txt'))
  t.match((await findDifferences(home)).findings.filter(isOfRoom), [
    { path: `rooms/${room}/${kept.id}/kept.txt`, problem: /missing/ },
    { path: `rooms/${room}/${gone.id}/gone.txt`, problem: /missing/ },
    { path: `rooms/${room}/${kept.id}/unknown.txt`, problem: /not attached/ },
  ])
  const usage = await request('GET', '/v1/fs/audit/usage.md')
  t.match(usage.text, /Files in rooms: \d+, \d/)
})
