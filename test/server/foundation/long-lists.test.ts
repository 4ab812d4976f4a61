import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { LazyRows } from '../../../core/documents/model/lazy-rows.ts'
import { longLists } from '../../../server/middleware/long-lists.ts'
import { serveMiddleware } from '../../support/middleware-server.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

t.test('rows that are made when they are read are one JSON answer', async (t) => {
  for (const count of [0, 1, 200, 1001]) {
    const rows = LazyRows.of(numbers(count), (number) => ({ number, name: `“Sheet” ${number}` }))
    const { request } = await serveMiddleware(t, (app) => {
      app.use(longLists).use((ctx) => {
        ctx.body = { project: 'general', missing: undefined, documents: rows, nextCursor: null }
      })
    })
    const { status, headers, json } = await request('GET', '/')
    t.strictSame([status, headers['content-type']], [200, 'application/json; charset=utf-8'])
    t.strictSame(json, { project: 'general', documents: [...rows], nextCursor: null })
    t.equal((await request('HEAD', '/')).status, 200)
  }
})

t.test('no rows are made for a client that does not take them', async (t) => {
  const count = 10_000
  const text = 'x'.repeat(10_000)
  let made = 0
  const rows = LazyRows.of(numbers(count), (number) => {
    made += 1
    return { number, text }
  })
  const closed = new AbortController()
  const { server } = await serveMiddleware(t, (app) => {
    app.use(longLists).use((ctx) => {
      ctx.res.once('close', () => closed.abort())
      ctx.body = { documents: rows }
    })
  })
  const client = connect(Number(new URL(server.address).port), '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(client, 'readable')
  client.destroy()
  if (!closed.signal.aborted) await once(closed.signal, 'abort')
  t.ok(made > 0 && made < count / 2, `${made} of ${count} rows`)
})
