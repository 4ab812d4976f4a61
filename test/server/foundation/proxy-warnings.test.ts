import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const warnings = (lines: { level: string; message: string }[]) =>
  lines.filter(({ level }) => level === 'warn').map(({ message }) => message)

const behindTls = {
  Origin: 'https://work.example',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-For': '192.0.2.1',
}

t.test('behind a TLS proxy without publicUrl, page and log say what the operator must set', async (t) => {
  const ways: [name: string, headers: Record<string, string | undefined>][] = [
    ['the browser says that it is the same site', behindTls],
    [
      'an older one, by a proxy that keeps the host',
      { ...behindTls, 'Sec-Fetch-Site': undefined, Host: 'work.example' },
    ],
    [
      'an older one, by a proxy that passes the host on',
      { ...behindTls, 'Sec-Fetch-Site': undefined, 'X-Forwarded-Host': 'work.example' },
    ],
  ]
  for (const [name, headers] of ways) {
    const { log, owner, url, request } = await startWorkroom(t)
    const browser = new ScriptlessBrowser({ request, url })
    for (let time = 0; time < 3; time++) {
      const { status, text } = await browser.submit('/signin', { key: owner.key }, headers)
      t.equal(status, 403, name)
      t.match(text, /used at https:\/\/work\.example/)
      t.match(text, /WORKROOM_PUBLIC_URL/)
      t.notMatch(text, /came from another site/)
    }
    t.equal(browser.cookie, null)
    const said = warnings(log.lines).filter((line) => line.includes('https://work.example'))
    t.equal(said.length, 1, 'once, however often it happens')
    t.match(said[0], /publicUrl is http:\/\/127\.0\.0\.1:\d+.*WORKROOM_PUBLIC_URL/)
  }
})

t.test('another site is not taken for a proxy, and made-up hosts do not fill the log', async (t) => {
  const { log, owner, request, url } = await startWorkroom(t)
  for (const headers of [
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': undefined },
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-site', 'X-Forwarded-Host': 'evil.example' },
    { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
  ]) {
    const browser = new ScriptlessBrowser({ request, url })
    const { status, text } = await browser.submit('/signin', { key: owner.key }, headers)
    t.match([status, text], [403, /came from another site/])
  }
  for (let n = 0; n < 100; n++) {
    await request('GET', '/healthz', { headers: { 'X-Forwarded-Host': `made-up-${n}.example` } })
    await request('GET', '/healthz', { headers: { 'X-Forwarded-Host': `<b>"${n}` } })
  }
  t.ok(warnings(log.lines).length <= 5, 'made-up hosts do not fill the log')
  t.notMatch(warnings(log.lines).join(), '<b>')
})

t.test(
  'X-Forwarded-For without trustProxy is a warning in /healthz and once in the log, and no failure',
  async (t) => {
    const { clock, log, request } = await startWorkroom(t)
    const health = async () => (await request('GET', '/healthz', { key: undefined })).json
    t.strictSame(await health(), { ok: true })
    for (let n = 0; n < 3; n++) {
      await request('GET', '/v1/fs', { headers: { 'X-Forwarded-For': '192.0.2.1' } })
    }
    t.match(await health(), { ok: true, warnings: [{ problem: /X-Forwarded-For/, mend: /trustProxy/ }] })
    t.equal((await request('GET', '/healthz')).status, 200)
    t.equal(warnings(log.lines).length, 1)
    clock.advance(24 * 60 * 60_000)
    t.strictSame(await health(), { ok: true }, 'a day after the last such request')
  },
)

t.test('a forwarded host that is not the public one is reported in the log and in /healthz', async (t) => {
  const publicUrl = 'https://work.example'
  const { log, request } = await startWorkroom(t, { config: { publicUrl, trustProxy: true } })
  const ask = (host: string) =>
    request('GET', '/healthz', { headers: { 'X-Forwarded-Host': host, 'X-Forwarded-For': '192.0.2.1' } })
  t.strictSame((await ask('work.example')).json, { ok: true })
  t.match((await ask('other.example')).json, {
    ok: true,
    warnings: [{ problem: /https:\/\/other\.example.*publicUrl is https:\/\/work\.example/ }],
  })
  t.equal(warnings(log.lines).length, 1)
})

t.test('a start that trusts a proxy without a public address warns', async (t) => {
  const { log } = await startWorkroom(t, { config: { trustProxy: true } })
  t.match(warnings(log.lines), [/publicUrl is not/])
  const known = await startWorkroom(t, { config: { trustProxy: true, publicUrl: 'https://work.example' } })
  t.same(warnings(known.log.lines), [])
})
