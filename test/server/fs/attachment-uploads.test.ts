import { connect } from 'node:net'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { breakableDisk, systemError } from '../../support/breakable-disk.ts'
import { stagedFiles } from '../../support/home-state.ts'
import type { RequestOptions } from '../../support/http-client.ts'
import { uploadForm } from '../../support/upload-form.ts'
import { openAttachmentProject, type Written } from './attachment-project.ts'

const uploadBytes = 100_000
const disk = breakableDisk()
let commitFails = false
const beforeCommit = () => {
  if (commitFails) throw systemError('SQLITE_FULL')
}
const { workroom, grace, write, attach, checkNothing } = await openAttachmentProject(t, {
  config: { limits: { ...defaultConfig.limits, uploadBytes } },
  faults: { tree: { fs: disk.fs }, database: { beforeCommit } },
})
const { request, home } = workroom

t.test('an invalid upload is refused with a message, and nothing of it is kept', async (t) => {
  const post = await write()
  const path = `${post.path}/attachments`
  const over = 'x'.repeat(uploadBytes + 1)
  const longName = `${'n'.repeat(197)}.txt`
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=b' }
  const cases: [what: string, query: string, options: RequestOptions, status: number, message: RegExp][] = [
    ['no name', '', { body: 'x' }, 422, /\?name=.*field file/],
    ['an empty name', '?name=', { body: 'x' }, 422, /name/],
    ['two names', '?name=a&name=b', { body: 'x' }, 400, /once/],
    ['a folder', '?name=a%2Fb', { body: 'x' }, 422, /"a\/b" has the character \//],
    ['a hidden name', '?name=.env', { body: 'x' }, 422, /temporary files/],
    ['a temporary name', '?name=a.tmp', { body: 'x' }, 422, /temporary files.*\?name=/],
    ['a device', '?name=nul.txt', { body: 'x' }, 422, /device on Windows/],
    ['a control character', '?name=a%0Ab', { body: 'x' }, 422, /control character/],
    ['a line separator', '?name=a%E2%80%A8b', { body: 'x' }, 422, /line break/],
    ['a long name', `?name=${longName}`, { body: 'x' }, 422, /longer than 200 bytes/],
    ['too many bytes', '?name=a', { body: over }, 413, /at most 100000 bytes/],
    ['too many in a form', '', await uploadForm(['file', over, 'a']), 413, /at most 100000 bytes/],
    ['far too many in a form', '', await uploadForm(['file', over + over, 'a']), 413, /at most/],
    ['a form without a file', '', await uploadForm(['file', 'text']), 422, /holds no file/],
    [
      'another field',
      '',
      await uploadForm(['upload', 'x', 'a.txt']),
      422,
      /"upload" holds a file.*field file/,
    ],
    ['two files', '', await uploadForm(['file', 'x', 'a'], ['file', 'y', 'b']), 422, /second file/],
    ['a bad name in a form', '', await uploadForm(['file', 'x', 'a?.txt']), 422, /character \?/],
    [
      'too many fields',
      '',
      await uploadForm(...Array.from({ length: 30 }, (_, n) => [`f${n}`, 'x'] as [string, string])),
      422,
      /too many fields/,
    ],
    ['no boundary', '', { body: 'x', headers: { 'Content-Type': 'multipart/form-data' } }, 422, /boundary/],
    [
      'half a form',
      '',
      {
        body: '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
        headers: multipart,
      },
      400,
      /ended before/,
    ],
    ['no form at all', '', { body: 'nonsense', headers: multipart }, 400, /ended before/],
    [
      'a compressed body',
      '?name=a',
      { body: 'x', headers: { 'Content-Encoding': 'gzip' } },
      415,
      /uncompressed/,
    ],
  ]
  for (const [what, query, options, status, message] of cases) {
    const response = await request('POST', path + query, { key: grace.key, ...options })
    t.match([response.status, response.json.message], [status, message], what)
  }
  await checkNothing(t, post)
  t.equal((await attach(post, 'exact.bin', 'x'.repeat(uploadBytes))).status, 201)
  t.notOk(workroom.log.lines.some(({ level }) => level !== 'info'))
})

/** The headers of an upload whose length is not known in advance. */
const chunkedHead = (post: Written) =>
  `POST ${post.path}/attachments?name=a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${grace.key}\r\nTransfer-Encoding: chunked\r\n\r\n`

t.test('a body above the limit is refused while it is sent, and the connection stays open', async (t) => {
  const post = await write()
  const socket = connect(Number(new URL(workroom.url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (bytes) => {
    received += bytes
  })
  const chunk = `c350\r\n${'x'.repeat(50_000)}\r\n`
  socket.write(chunkedHead(post) + chunk + chunk + chunk)
  await workroom.eventually(() => received.startsWith('HTTP/1.1 413 '))
  socket.write(`${chunk}0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`)
  await workroom.eventually(() => /HTTP\/1\.1 200 OK/.test(received))
  socket.destroy()
  await checkNothing(t, post)
})

t.test('a client that disconnects during an upload leaves nothing', async (t) => {
  const post = await write()
  for (const head of [
    chunkedHead(post),
    chunkedHead(post).replace('\r\n\r\n', '\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n'),
  ]) {
    const socket = connect(Number(new URL(workroom.url).port), '127.0.0.1')
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'.padEnd(100, 'x')
    socket.write(`${head}64\r\n${part}\r\n`)
    await workroom.eventually(() => stagedFiles(home).length === 1)
    socket.destroy()
    await workroom.eventually(() => stagedFiles(home).length === 0)
  }
  await checkNothing(t, post)
})

t.test('an error of the disk or database is reported, nothing is kept, the next file works', async (t) => {
  const post = await write()
  const isAttached = ([, path]: unknown[]) => String(path).includes('/attachments/')
  const faults: (() => void)[] = [
    () => disk.fail('write', 'ENOSPC'),
    () => disk.fail('fsync', 'ENOSPC'),
    () => disk.fail('linkSync', 'ENOSPC', isAttached),
    () => {
      commitFails = true
    },
  ]
  for (const fail of faults) {
    fail()
    const response = await attach(post, 'a.txt')
    disk.mend()
    commitFails = false
    t.match(response, { status: 503, headers: { 'retry-after': '5' }, json: { message: /the disk is full/ } })
    t.notMatch(response.text, home)
    await checkNothing(t, post)
  }
  t.equal((await attach(post, 'a.txt')).status, 201)
})
