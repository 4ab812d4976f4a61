import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Context } from '../../../server/context.ts'
import { formUpload } from '../../../server/middleware/form-file.ts'
import { receiveUpload } from '../../../server/middleware/upload.ts'
import { eventually } from '../../support/eventually.ts'
import { serveMiddleware } from '../../support/middleware-server.ts'

const type = 'multipart/form-data; boundary=b'
const part = (head: string, text: string) => `--b\r\n${head}\r\n\r\n${text}\r\n`
const disposition = (rest: string) => `Content-Disposition: form-data; ${rest}`
const end = '--b--\r\n'

/** Serves an endpoint that answers with the name, type and bytes of an uploaded file. */
async function echo(t: Test) {
  const { request, url } = await serveMiddleware(t, (app) => {
    const options = { uploadBytes: 1024 * 1024, allowLongBody: () => {} }
    app.use(async (ctx) => {
      ctx.body = await receiveUpload(ctx, options, async (begin) => {
        const { name, type, bytes } = await begin()
        return { name, type, text: (await buffer(bytes)).toString() }
      })
    })
  })
  return {
    url,
    send: (body: string) => request('POST', '/', { body, headers: { 'Content-Type': type } }),
  }
}

t.test('the file of a form has the name, type and bytes that were sent', async (t) => {
  const { send } = await echo(t)
  const cases: [head: string, name: string, type: string][] = [
    [`${disposition('name="file"; filename="a.png"')}\r\nContent-Type: image/png`, 'a.png', 'image/png'],
    [disposition('name="file"; filename="a.txt"'), 'a.txt', 'text/plain'],
    [disposition('name="file"; filename="Größe 1.txt"'), 'Größe 1.txt', 'text/plain'],
    [disposition('name="file"; filename="some/folder/a.txt"'), 'a.txt', 'text/plain'],
    [disposition("name=file; filename*=UTF-8''Gr%C3%B6%C3%9Fe.txt"), 'Größe.txt', 'text/plain'],
    [`${disposition('name="file"; filename="a"')}\r\nContent-Transfer-Encoding: 7bit`, 'a', 'text/plain'],
  ]
  for (const [head, name, type] of cases) {
    for (const text of ['words', '', '\r\n--', '\r\n--bb\r\n-', 'x'.repeat(300_000)]) {
      const { status, json } = await send(part(head, text) + end)
      t.strictSame([status, json], [200, { name, type, text }], `${head} ${text.length}`)
    }
  }
})

t.test('a form is the same however it is cut into pieces', async (t) => {
  const head = `${disposition('name="file"; filename="Größe.txt"')}\r\nContent-Transfer-Encoding: base64`
  const plain = `${disposition('name="file"; filename="Größe.txt"')}\r\nContent-Type: text/x`
  const text = 'é\r\n--bb\r\n--\r\n-b\r'
  const lines = Buffer.from(text)
    .toString('base64')
    .replace(/(.{5})/g, '$1\r\n')
  for (const form of [part(plain, text), part(head, lines)]) {
    const bytes = Buffer.from(`ignored\r\n${form}${end}ignored`)
    for (let size = 1; size <= bytes.length; size += 1) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      const req = Object.assign(Readable.from(pieces), { headers: { 'content-type': type } })
      const { upload } = await formUpload({ req } as unknown as Context, 1024)
      const read = await buffer(upload.bytes)
      t.strictSame([upload.name, read.toString()], ['Größe.txt', text], `in pieces of ${size} bytes`)
    }
  }
})

t.test('headers of a part are limited, wherever the part is and whether or not they end', async (t) => {
  const { send, url } = await echo(t)
  // A pattern that searches this for a file name takes time that grows with the square of its length.
  const long = disposition(`name="file"; ${'filename="" '.repeat(80_000)}`)
  const file = part(disposition('name="file"; filename="a"'), 'words')
  for (const body of [part(long, 'x') + end, file + part(long, 'x') + end, `--b\r\n${long}`]) {
    const { status, json } = await send(body)
    t.match([status, json.error], [422, /header in the form is longer than 8192 bytes/])
  }
  t.equal((await send(file + end)).status, 200, 'the next form is accepted')

  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  let answer = ''
  socket.on('data', (bytes) => {
    answer += bytes
  })
  const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${long.length}\r\n\r\n`
  socket.write(head + `--b\r\n${long}`.slice(0, 10_000))
  await eventually(() => /longer than 8192 bytes/.test(answer))
  t.match(answer, /^HTTP\/1\.1 422 /, 'it is refused before the rest arrives')
})

t.test('a part with an unknown transfer encoding is refused', async (t) => {
  const { send } = await echo(t)
  const encoded = (rest: string) => `${disposition(rest)}\r\nContent-Transfer-Encoding: rot13`
  for (const head of [encoded('name="file"; filename="a"'), encoded('name="other"')]) {
    const { status, json } = await send(part(head, 'x') + end)
    t.match([status, json.error], [422, /unknown transfer encoding/])
  }
  const field = part(`${disposition('name="other"')}\r\nContent-Transfer-Encoding: 7bit`, 'x')
  t.match((await send(field + end)).json.error, /no field other/)
})

t.test('a form is read no faster than its file is consumed, however it is cut into pieces', async (t) => {
  const contents = { plain: 'x'.repeat(1000), 'of broken boundaries': '\r\n--b_'.repeat(150) }
  for (const [what, content] of Object.entries(contents)) {
    let ahead = 0
    let taken = 0
    const { url } = await serveMiddleware(t, (app) => {
      const options = { uploadBytes: 100 * 1024 * 1024, allowLongBody: () => {} }
      app.use(async (ctx) => {
        await receiveUpload(ctx, options, async (begin) => {
          const { bytes } = await begin()
          await eventually(() => ctx.req.isPaused())
          for await (const piece of bytes) {
            taken += piece.length
            ahead = Math.max(ahead, ctx.req.socket.bytesRead - taken)
            await new Promise(setImmediate)
          }
        })
        ctx.body = { taken }
      })
    })
    const text = content.repeat(800)
    const form = part(disposition('name="file"; filename="a"'), text) + end
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
    )
    const [received] = await once(socket, 'data')
    t.match(String(received), /^HTTP\/1\.1 200 /, what)
    t.equal(taken, text.length)
    t.ok(ahead < 256 * 1024, `${what}: ${ahead} bytes were read ahead`)
  }
})
