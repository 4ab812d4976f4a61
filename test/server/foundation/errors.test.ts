import t, { type Test } from 'tap'
import { type ErrorCode, WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { statusFor } from '../../../server/error-codes.ts'
import { sendRaw } from '../../support/http-client.ts'
import { serveMiddleware } from '../../support/middleware-server.ts'

const failing = (t: Test, fail: () => unknown) =>
  serveMiddleware(t, (app) => {
    app.use(() => {
      throw fail()
    })
  })

t.test('a refusal has the tree’s shape under /v1/fs and the common one elsewhere', async (t) => {
  const { request } = await failing(t, () => new WorkspaceError('conflict', 'Somebody was faster.'))
  for (const path of ['/v1/fs', '/v1/fs/projects/a?b=c']) {
    const response = await request('GET', path)
    t.equal(response.status, 409)
    t.strictSame(response.json, {
      error: 'conflict',
      message: 'Somebody was faster.',
      requestId: response.headers['x-request-id'],
    })
  }
  for (const path of ['/api/rooms', '/v1/fsx', '/elsewhere']) {
    const response = await request('GET', path)
    t.strictSame(response.json, {
      error: 'Somebody was faster.',
      code: 'conflict',
      requestId: response.headers['x-request-id'],
    })
  }
})

t.test('outside of the tree every refusal has a code beside its sentence', async (t) => {
  let failure: Error = new Error()
  const { request, url } = await failing(t, () => failure)
  const codeOf = async () => (await request('GET', '/api/x')).json.code
  for (const code of Object.keys(statusFor) as ErrorCode[]) {
    failure = new WorkspaceError(code, 'No.')
    t.equal(await codeOf(), code)
  }
  failure = new TypeError('secret detail')
  t.equal(await codeOf(), 'internal_error')
  failure = Object.assign(new Error('/home/x'), { code: 'ENOSPC' })
  t.equal(await codeOf(), 'unavailable')
  const long = `GET /api/x HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`
  t.match(await sendRaw(url, long), '"code":"headers_too_large"')
  t.match(await sendRaw(url, 'NONSENSE\r\n\r\n'), '"code":"bad_request"')
})

t.test('the tree has six codes, and every other status is a bad_request', async (t) => {
  const codes: Record<ErrorCode, [status: number, code: string]> = {
    bad_request: [400, 'bad_request'],
    invalid: [422, 'unprocessable'],
    unauthorized: [401, 'unauthorized'],
    forbidden: [403, 'forbidden'],
    not_found: [404, 'not_found'],
    method_not_allowed: [405, 'bad_request'],
    conflict: [409, 'conflict'],
    precondition_failed: [412, 'bad_request'],
    too_large: [413, 'bad_request'],
    unsupported_media_type: [415, 'bad_request'],
    too_many_requests: [429, 'bad_request'],
    unavailable: [503, 'bad_request'],
  }
  let code: ErrorCode = 'bad_request'
  const { request } = await failing(t, () => new WorkspaceError(code, 'No.'))
  for (code of Object.keys(codes) as ErrorCode[]) {
    const response = await request('PUT', '/v1/fs/x')
    t.strictSame([response.status, response.json.error], codes[code])
  }
})

t.test('invalid input is 422 where files are written, and 400 at the JSON endpoints', async (t) => {
  const { request } = await failing(t, () => new WorkspaceError('invalid', 'The title is too long.'))
  const refusalOf = async (path: string) => {
    const { status, json } = await request('PUT', path)
    return [status, json.error, json.code]
  }
  t.strictSame(await refusalOf('/v1/fs/x'), [422, 'unprocessable', undefined])
  for (const path of ['/dav/projects/a/x.md', '/projects/a/home'])
    t.strictSame(await refusalOf(path), [422, 'The title is too long.', 'unprocessable'])
  for (const path of ['/v1/posts', '/api/rooms', '/v1/fsx', '/v1?fs', 'http://host/api/x?y', '/unreached'])
    t.strictSame(await refusalOf(path), [400, 'The title is too long.', 'bad_request'])
})

t.test('a refusal carries its own fields and headers', async (t) => {
  const extras = { fields: { block: 'k1', blocks: [] }, retryAfterMs: 6001 }
  const { request } = await failing(t, () => new WorkspaceError('conflict', 'Stale.', extras))
  const response = await request('PUT', '/v1/fs/x')
  t.strictSame(response.json, {
    error: 'conflict',
    message: 'Stale.',
    requestId: response.headers['x-request-id'],
    block: 'k1',
    blocks: [],
  })
  t.equal(response.headers['retry-after'], '7')
})

t.test('a refusal ends with the request that helps', async (t) => {
  let failure = new WorkspaceError('not_found', 'There is no ask 7.', { next: { step: 'list asks' } })
  const { request } = await failing(t, () => failure)
  const message = async () => (await request('GET', '/v1/fs/x')).json.message
  t.equal(await message(), 'There is no ask 7. GET /api/asks lists those that you can see.')
  const next = { step: 'answer the question', askId: 'ask_1' } as const
  failure = new WorkspaceError('bad_request', 'A question is not claimed.', { next })
  t.equal(
    await message(),
    'A question is not claimed: a person answers it with POST /api/asks/ask_1/resolve.',
  )
})

t.test('after an internal error the caller learns the request id, and the log the rest', async (t) => {
  const { request, log } = await failing(t, () => new TypeError('secret detail'))
  const response = await request('GET', '/v1/fs/x')
  t.equal(response.status, 500)
  t.equal(response.json.error, 'bad_request')
  t.notMatch(response.text, 'secret detail')
  const line = log.lines.find(({ level }) => level === 'error')
  t.match(line?.fields, {
    err: { message: 'secret detail', stack: String },
    requestId: response.json.requestId,
  })
})

t.test('a full disk is reported in plain words', async (t) => {
  let fields: object = {}
  const { request, log } = await failing(t, () => Object.assign(new Error('/home/x'), fields))
  for (fields of [{ code: 'SQLITE_FULL' }, { code: 'ENOSPC' }, { errno: 'ENOSPC' }, { errno: 'EDQUOT' }]) {
    const response = await request('PUT', '/v1/fs/x')
    t.equal(response.status, 503)
    t.match(response.json.message, /disk is full/)
    t.notMatch(response.text, '/home')
  }
  t.equal(log.lines.filter(({ level }) => level === 'error').length, 4)
})

t.test('HEAD has the status and headers of an error, and no body', async (t) => {
  const { request } = await failing(t, () => new WorkspaceError('not_found', 'Nothing here.'))
  const response = await request('HEAD', '/v1/fs/x')
  t.equal(response.status, 404)
  t.match(response.headers, { 'x-request-id': /^req_/, 'content-type': /json/ })
  t.equal(response.text, '')
})

t.test(
  'every answer has a request id of the server’s own, which is unique and never the client’s',
  async (t) => {
    const { request, url } = await serveMiddleware(t, (app) => {
      app.use((ctx) => {
        ctx.body = 'fine'
      })
    })
    const ids = new Set<unknown>()
    for (let n = 0; n < 5; n++) {
      const { headers } = await request('GET', '/', { headers: { 'X-Request-Id': 'req_mine' } })
      ids.add(headers['x-request-id'])
    }
    t.equal(ids.size, 5)
    for (const id of ids) t.match(id, /^req_[0-9a-f]{12}[0-9a-z]{6}$/)

    t.match(await sendRaw(url, 'GET / HTTP/1.0\r\n\r\n'), /x-request-id: req_/i)
    const odd = 'GET / HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n'
    t.match(await sendRaw(url, odd), /200 OK[\s\S]*x-request-id: req_/i)
  },
)
