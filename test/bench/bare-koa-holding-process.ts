import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import rawBody from 'raw-body'

// Koa without anything else, in its own process: holds requests until a POST has all answered with one body.

let body = Buffer.alloc(0)
let held: (() => void)[] = []

const app = new Koa()
app.use(async (ctx) => {
  if (ctx.method === 'POST') {
    await rawBody(ctx.req, { length: ctx.get('content-length') })
    ctx.status = 201
    ctx.body = '{}'
    setImmediate(() => {
      const released = held
      held = []
      for (const release of released) release()
    })
    return
  }
  await new Promise<void>((resolve) => held.push(resolve))
  ctx.set('Cache-Control', 'no-store')
  ctx.set('Content-Type', 'application/json; charset=utf-8')
  ctx.body = body
})

process.on('message', (message: { body: string }) => {
  body = Buffer.from(message.body)
  process.send!({ result: null })
})

const server = app.listen(0, '127.0.0.1', () => {
  process.send!({ result: (server.address() as AddressInfo).port })
})
