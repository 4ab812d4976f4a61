import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { serveMiddleware } from '../../support/middleware-server.ts'
import { loaderArguments, moduleUrl } from '../../support/run-as-built.ts'

t.test('one line per request says who, what, the outcome and the duration', async (t) => {
  const { request, log } = await serveMiddleware(t, (app) => {
    app.use((ctx) => {
      if (ctx.path === '/refused') throw new WorkspaceError('forbidden', 'No.')
      ctx.body = 'fine'
    })
  })
  const response = await request('PUT', '/v1/fs/x?block=k1&view=', {
    body: 'secret-body',
    key: 'wr_secret-key',
  })
  await request('GET', '/refused', { headers: { Cookie: 'secret-cookie' } })
  for (const link of ['/download/secret/a.txt', 'http://x/signin/secret']) await request('GET', link)
  t.match(log.lines, [
    {
      level: 'info',
      message: 'request',
      fields: {
        requestId: response.headers['x-request-id'],
        method: 'PUT',
        path: '/v1/fs/x',
        query: ['block', 'view'],
        status: 200,
        ms: Number,
      },
    },
    { level: 'info', fields: { path: '/refused', status: 403 } },
    { fields: { path: '/download/…' } },
    { fields: { path: 'http://x/signin/…' } },
  ])
  t.equal(log.lines.length, 4)
  t.notMatch(log.text(), /secret|k1/)
})

t.test('the real log writes JSON lines to standard error, and all of them before it is closed', async (t) => {
  const log = moduleUrl('server/log.ts')
  const script = `
    const { openLog } = await import(${JSON.stringify(log)})
    const log = openLog('warn')
    log.info({}, 'not said at this level')
    log.warn({ requestId: 'req_1' }, 'a warning')
    log.error({ err: new TypeError('broken') }, 'a failure')
    log.close()
    process.exit(0)`
  const { stderr, stdout } = await promisify(execFile)(process.execPath, [
    ...loaderArguments,
    '--input-type=module',
    '--eval',
    script,
  ])
  t.equal(stdout, '')
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(lines, [
    { level: 40, msg: 'a warning', requestId: 'req_1', time: Number },
    {
      level: 50,
      msg: 'a failure',
      err: { type: 'TypeError', message: 'broken', stack: /TypeError: broken/ },
    },
  ])
  t.equal(lines.length, 2)
})
