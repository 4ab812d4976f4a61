import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import t from 'tap'
import { sendRaw } from '../support/http-client.ts'
import { LiveEditor, signInForEditing } from '../support/live-editor.ts'
import { sharedMarkdown } from '../support/shared-markdown.ts'
import { startWorkroom } from '../support/workroom.ts'

// The parser of the process has done other tests' work, which its metrics count.
const workroom = await startWorkroom(t, { faults: { markdown: sharedMarkdown(t) } })
const { request } = workroom
const scrape = async (key = workroom.owner.key) => (await request('GET', '/metrics', { key })).text
/** Returns the value of a series, named with its labels as in the text. */
const valueIn = (text: string, series: string) => {
  const line = text.split('\n').find((line) => line.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}

t.test('metrics need a key of an owner or admin', async (t) => {
  const admin = await workroom.addMember({ name: 'Grace', type: 'human', role: 'admin' })
  const member = await workroom.addMember({ name: 'Linus', type: 'human' })
  const bare = await request('GET', '/metrics', { key: undefined })
  t.match([bare.status, bare.headers['www-authenticate']], [401, 'Bearer'])
  t.equal((await request('GET', '/metrics', { key: 'wr_wrong' })).status, 401)
  const refused = await request('GET', '/metrics', { key: member.key })
  t.match([refused.status, refused.json.error], [403, /owner or admin/])
  const { status, headers } = await request('GET', '/metrics', { key: admin.key })
  t.match(
    [status, headers['content-type'], headers['cache-control']],
    [200, /^text\/plain; version=/, 'no-store'],
  )
  t.equal((await request('POST', '/metrics')).status, 405)
  t.equal((await request('GET', '/metrics/', { key: undefined })).status, 401)
  t.match([(await request('GET', '/metrics/', { key: member.key })).status], [403])
})

t.test('requests are counted by group and status, never by path', async (t) => {
  const before = await scrape()
  const count = (text: string, group: string, status: number) =>
    valueIn(text, `http_request_duration_seconds_count{group="${group}",status="${status}"}`) ?? 0
  await request('GET', '/v1/fs/projects')
  await request('GET', '/v1/fs/nothing/of/this/name')
  await request('GET', '/api/rooms')
  await request('GET', '/v1/events?wait=0')
  await request('GET', '/v1/presence')
  const after = await scrape()
  for (const [group, status] of [
    ['fs', 200],
    ['fs', 404],
    ['api', 200],
    ['events', 200],
    ['v1', 200],
    ['other', 200],
  ] as const) {
    t.equal(count(after, group, status) - count(before, group, status), 1, `${group} ${status}`)
  }
  t.notMatch(after, /nothing/)

  const whole = 'Host: x\r\nConnection: close\r\n\r\n'
  for (const target of ['http://[', 'foo://host', 'http://']) {
    const answer = await sendRaw(workroom.url, `GET ${target} HTTP/1.1\r\n${whole}`)
    t.match(answer, /^HTTP\/1\.1 400 [\s\S]*"error":"[^"]+","requestId":"req_/, target)
  }
  t.equal(count(await scrape(), 'other', 400), 3, 'a target without a path is counted, too')
})

t.test('documents, members and waiting work are counted at each scrape', async (t) => {
  await request('PUT', '/v1/fs/projects/general/drafts/idea.md', { body: '# Idea\n' })
  const { headers } = await request('GET', '/v1/events?wait=0')
  const leaving = new AbortController()
  const held = request('GET', `/v1/events?wait=50&since=${headers['x-service-events-head']}`, {
    signal: leaving.signal,
  })
  await workroom.eventually(async () => valueIn(await scrape(), 'workroom_events_held') === 1)
  const text = await scrape()
  const values = {
    'workroom_documents{kind="draft"}': 1,
    'workroom_documents{kind="document"}': 1,
    workroom_projects: 1,
    'workroom_members{type="human"}': 3,
    'workroom_members{type="agent"}': 0,
    workroom_parser_running: 0,
    workroom_parser_waiting: 0,
    workroom_parser_over_budget: 0,
    'workroom_deliveries{state="pending"}': 0,
    workroom_mail_waiting: 0,
    workroom_problems: 0,
    workroom_files_skipped: 0,
  }
  for (const [series, value] of Object.entries(values)) t.equal(valueIn(text, series), value, series)
  t.ok(valueIn(text, 'workroom_database_bytes')! > 4096)
  t.ok(valueIn(text, 'process_resident_memory_bytes')! > 0)
  leaving.abort()
  await t.rejects(held)
})

t.test('health needs no key', async (t) => {
  const { status, json } = await request('GET', '/healthz', { key: undefined })
  t.same([status, json], [200, { ok: true }])
})

t.test('texts edited live are counted, and one that cannot be saved is reported as a problem', async (t) => {
  const { json } = await request('PUT', '/v1/fs/projects/general/docs/live.md', { body: '# Live\n' })
  const editor = new LiveEditor(
    workroom,
    String(json.id),
    await signInForEditing(workroom, workroom.owner.key),
  )
  await editor.connect()
  editor.type('Words.')
  await workroom.eventually(() => editor.isConfirmed || null)
  const live = async () => {
    const text = await scrape()
    const names = ['documents', 'editors', 'unsaved', 'unsaved_seconds']
    return names.map((name) => valueIn(text, `workroom_live_${name}`))
  }
  const health = async () => (await request('GET', '/healthz')).json as { problems?: { problem: string }[] }
  t.same(await live(), [1, 1, 1, 0])

  const marker = join(workroom.home, 'projects', 'general', '.workroom')
  renameSync(marker, `${marker}.away`)
  const failed = (times: number) =>
    workroom.eventually(() => editor.messages.filter(({ type }) => type === 'saveFailed').length === times)
  workroom.clock.advance(2000)
  t.match(await editor.waitForMessage('saveFailed'), { willRetry: true })
  workroom.clock.advance(29_000)
  await failed(2)
  // The second letter is sent after the editor has answered the ping of the 30th second.
  for (const letter of '..') {
    editor.type(letter)
    await workroom.eventually(() => editor.isConfirmed)
  }
  workroom.clock.advance(29_000)
  await failed(3)
  t.same(await live(), [1, 1, 1, 60])
  t.match((await health()).problems?.at(-1), {
    problem: /^A text being edited cannot be saved: /,
    mend: /^read the log/,
  })
  renameSync(`${marker}.away`, marker)
  workroom.clock.advance(5000)
  await editor.waitForMessage('saved')
  t.same(await health(), { ok: true })
  t.same(await live(), [1, 1, 0, 0])
  editor.disconnect()
  await workroom.eventually(async () => (await live())[0] === 0)
  t.same(await live(), [0, 0, 0, 0], 'a closed text is not counted')
})

t.test('the delay of the event loop is measured anew for each scrape', async (t) => {
  const own = monitorEventLoopDelay({ resolution: 10 })
  own.enable()
  t.teardown(() => own.disable())
  // The first sample after a scrape only starts the measurement. The server takes samples as often as this test.
  const sampled = async () => {
    const { count } = own
    await workroom.eventually(() => own.count >= count + 3)
  }
  await scrape()
  await sampled()
  const sinceMs = performance.now()
  while (performance.now() < sinceMs + 300);
  await sampled()
  const held = await scrape()
  for (const series of ['nodejs_eventloop_lag_max_seconds', 'nodejs_eventloop_lag_p99_seconds'])
    t.ok(valueIn(held, series)! > 0, series)
  t.ok(valueIn(held, 'nodejs_eventloop_lag_max_seconds')! >= 0.25)
})
