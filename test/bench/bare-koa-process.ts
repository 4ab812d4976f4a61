import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import rawBody from 'raw-body'

/** The answer of bare Koa to every request. */
export interface BareResponse {
  status: number
  type: string
  etag: string
  body: string
}

// Koa without anything else, in its own process: reads each request and answers with bytes kept in memory.

let response: BareResponse = { status: 200, type: 'text/plain', etag: '"0"', body: '' }
let body = Buffer.alloc(0)

const app = new Koa()
app.use(async (ctx) => {
  if (ctx.method !== 'GET') await rawBody(ctx.req, { length: ctx.get('content-length') })
  ctx.status = response.status
  ctx.set('ETag', response.etag)
  ctx.set('Content-Type', response.type)
  if (ctx.fresh) ctx.status = 304
  else ctx.body = body
})

process.on('message', (message: BareResponse) => {
  response = message
  body = Buffer.from(message.body)
  process.send!({ result: null })
})

const server = app.listen(0, '127.0.0.1', () => {
  process.send!({ result: (server.address() as AddressInfo).port })
})
