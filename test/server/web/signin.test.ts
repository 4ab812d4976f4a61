import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import { openMailServer } from '../../support/mail-server.ts'
import { renameMember } from '../../support/rename-member.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { countIn } from '../mail/office.ts'

const minutes = 60_000

const workroom = await startWorkroom(t)
const { clock, log, owner, workspace, addMember } = workroom
const browser = () => new ScriptlessBrowser(workroom)
const home = '/'

const newLink = async (member = owner.member) => (await workspace.stores.signinLinks.issue(member)).path

/**
 * Everything in the database's files, as text. Another process reads them: this one holds SQLite's locks, and would lose them
 * when it closes another descriptor of a file.
 */
const kept = () => {
  const folder = join(workroom.home, '.workroom')
  const files = readdirSync(folder).filter((name) => name.startsWith('workroom.db'))
  return execFileSync('cat', files, { cwd: folder, encoding: 'latin1', maxBuffer: 64 * 1024 * 1024 })
}

t.test(
  'the sign-in page loads nothing but our own stylesheet and script, which the browser caches for ever',
  async (t) => {
    const page = await browser().open('/signin')
    t.equal(page.status, 200)
    t.match(page.headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; manifest-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    })
    t.notOk('set-cookie' in page.headers)
    const ownScript = /<script type="module" src="\/assets\/signin-\w+\.js"><\/script>/
    t.notMatch(page.text.replace(ownScript, ''), /<script|<style|\sstyle=|\son\w+=/i)
    t.match(page.text, /<label for="key">[\s\S]*<input id="key" name="key" type="password"/)
    t.notMatch(page.text, 'name="email"', 'without a mail server it asks for no address')
    const [, path] = /<link rel="stylesheet" href="(\/assets\/style-[0-9A-Z]{8}\.css)">/.exec(page.text)!
    const style = await browser().open(path!)
    t.match(style.headers, {
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    t.match(style.text, /color-scheme: ?light dark/)
    t.equal((await browser().open('/assets/style-00000000.css')).status, 404)
  },
)

t.test('pasting a key signs in, and leads to the page that was requested', async (t) => {
  const one = browser()
  const response = await one.submit('/signin', {
    key: ` ${owner.key}\n`,
    next: '/projects/general?tab=1#top',
  })
  t.match([response.status, response.headers.location], [303, '/projects/general?tab=1#top'])
  t.match(response.headers['set-cookie'], [
    /^workroom_session=[\w-]{43}; path=\/; expires=.+; samesite=lax; httponly$/,
  ])
  t.match((await one.open(home)).text, /<bdi>Ada<\/bdi>/)
  t.match((await one.open('/signin?next=/x')).headers.location, '/x', 'once signed in, it redirects')
  const token = one.cookie!.split('=')[1]!
  t.notOk(kept().includes(token), 'only a hash of the cookie is stored')
  t.ok(kept().includes(hash('sha256', token, 'buffer').toString('latin1')))
  t.notMatch(log.text(), token)
  t.notMatch(log.text(), owner.key)
})

t.test('a key that cannot sign in is refused on the same page, with the reason', async (t) => {
  const limited = await addMember({ name: 'Limited', type: 'agent', scopes: ['posts:read'] })
  const gone = await addMember({ name: 'Gone', type: 'human' })
  await workspace.stores.members.setStatus(gone.member.id, 'deactivated')
  const agent = await addMember({ name: 'Bot', type: 'agent' })
  const cases: [key: string, status: number, text: RegExp][] = [
    ['', 400, /Enter your key/],
    [limited.key, 403, /limited to some scopes/],
    [gone.key, 401, /not valid/],
    [agent.key, 303, /^$/],
  ]
  for (const [key, status, text] of cases) {
    const one = browser()
    const response = await one.submit('/signin', { key, next: '/x' })
    t.match([response.status, response.text], [status, text])
    if (status === 303) continue
    t.match(response.text, /<p class="problem" role="alert">[\s\S]*name="next" value="\/x"/)
    t.equal(one.cookie, null)
  }
  for (let n = 0; n < 9; n++) {
    const guess = await browser().submit('/signin', { key: `wr_guess${n}` })
    t.match([guess.status, guess.text], [401, /Ask an owner or admin for a new one/])
  }
  t.equal((await browser().submit('/signin', { key: 'wr_guess' })).status, 429)
  const blocked = await browser().submit('/signin', { key: owner.key })
  t.match([blocked.status, blocked.headers['retry-after'], blocked.text], [429, '900', /900 seconds/])
  t.equal((await workroom.request('GET', '/api/rooms')).status, 429, 'the interface counts them, too')
  t.equal((await browser().submit(await newLink(), {})).status, 303, 'a link still signs in')
  clock.advance(15 * minutes)
})

t.test('a link signs in once; opening it, as mail scanners do, does not use it up', async (t) => {
  const link = await newLink()
  const scanner = browser()
  for (const method of ['GET', 'HEAD', 'GET']) {
    const page = await scanner.send(method, `${link}?next=/x`)
    t.match([page.status, page.headers['referrer-policy']], [200, 'same-origin'])
    if (method === 'GET') t.match(page.text, /Ada[\s\S]*<form method="post">[\s\S]*value="\/x"/)
  }
  t.equal(scanner.cookie, null)
  const racers = [browser(), browser(), browser()]
  const responses = await Promise.all(racers.map((one) => one.submit(link, { next: '/x' })))
  t.same(responses.map(({ status }) => status).sort(), [303, 404, 404], 'one of three at once signs in')
  t.equal(responses.find(({ status }) => status === 303)!.headers.location, '/x')
  const winner = racers.find(({ cookie }) => cookie !== null)!
  t.match((await winner.open(home)).text, 'Ada')
  t.notMatch(log.text(), link)
  t.match(log.text(), '/signin/…')
  t.notOk(kept().includes(link.slice(-43)), 'only a hash of the link is stored')
})

t.test('an invalid link says that it is invalid, and never why', async (t) => {
  const late = await newLink()
  const { member } = await addMember({ name: 'Leaving', type: 'human' })
  const left = await newLink(member)
  clock.advance(15 * minutes)
  const late24 = (await workspace.stores.signinLinks.issue(owner.member, 24 * 60 * minutes)).path
  const used = await newLink()
  await browser().submit(used, {})
  const beside = openForCommandLine(workroom.home)
  t.teardown(() => beside.close())
  const leaving = await newLink(member)
  await beside.members.setStatus(member.id, 'deactivated')
  await t.rejects(beside.signinLinks.issue(member), /deactivated/)
  await beside.members.setStatus(member.id, 'active')
  const texts = new Set<string>()
  for (const link of [late, left, used, leaving, '/signin/x', `/signin/${'A'.repeat(43)}`]) {
    const page = await browser().open(link)
    const response = await browser().submit(link, {})
    t.match([page.status, response.status], [404, 404], link)
    texts.add(page.text).add(response.text)
  }
  t.equal(texts.size, 1)
  clock.advance(24 * 60 * minutes - 1)
  t.equal((await browser().submit(late24, {})).status, 303, 'a link can be issued for 24 hours')
})

t.test('signing in never redirects to another server, whatever `next` says', async (t) => {
  const one = await browser().signIn(owner.key)
  const led = async (next: string) =>
    (await one.open(`/signin?next=${encodeURIComponent(next)}`)).headers.location
  for (const path of ['/', '/x/../y', '/search?q=%2F%2Fevil', '/é'])
    t.equal(await led(path), new URL(path, 'http://a').href.slice('http://a'.length))
  const hostile = [
    '',
    'x',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/..//evil.example',
    '/.//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\r\nSet-Cookie: a=b//',
    '///evil.example',
    '/signin',
    '/signin/x',
    '/signout',
    `/${'x'.repeat(2000)}`,
  ]
  for (const next of hostile) {
    const place = await led(next)
    t.ok(place === home || place === '/Set-Cookie:%20a=b//', `${JSON.stringify(next)} → ${place}`)
  }
})

t.test('a form sent by another site signs nobody in, and uses no link up', async (t) => {
  const link = await newLink()
  const foreign = [
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    { Origin: 'https://evil.example', 'Sec-Fetch-Site': undefined },
    { Origin: workroom.url.replace(/\d+$/, '1'), 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'null', 'Sec-Fetch-Site': undefined },
    { Origin: undefined, 'Sec-Fetch-Site': 'cross-site' },
    { Origin: undefined, 'Sec-Fetch-Site': undefined },
    { Origin: workroom.url, 'Sec-Fetch-Site': 'cross-site' },
  ]
  for (const headers of foreign) {
    for (const [path, fields] of [
      ['/signin', { key: owner.key }],
      [link, {}],
    ] as const) {
      const one = browser()
      const response = await one.submit(path, fields, headers)
      t.match([response.status, response.headers['content-type'], one.cookie], [403, /html/, null])
    }
  }
  const old = { Origin: undefined, 'Sec-Fetch-Site': 'same-origin' }
  t.equal((await browser().submit(link, {}, old)).status, 303)
  const plain = { 'Sec-Fetch-Site': undefined }
  t.equal((await browser().submit('/signin', { key: owner.key }, plain)).status, 303)
})

t.test('a body that is not a form, or is too long, is refused with a readable page', async (t) => {
  const headers = { Origin: workroom.url, Accept: 'text/html' }
  const json = await browser().send(
    'POST',
    '/signin',
    { ...headers, 'Content-Type': 'application/json' },
    '{}',
  )
  t.match([json.status, json.text], [400, /<h1>Bad Request<\/h1>[\s\S]*Send a form/])
  const long = await browser().submit('/signin', { key: 'x'.repeat(17_000) })
  t.match([long.status, long.text], [413, /16384 bytes/])
  const mail = await browser().submit('/signin', { email: 'ada@example.org' })
  t.match([mail.status, mail.text], [400, /does not send email/])
})

t.test('names are escaped on the pages', async (t) => {
  const name = `<script>alert('x')</script> & "Co"`.replace(/[()]/g, '')
  const { key, member } = await addMember({ name: 'Nasty', type: 'human' })
  await renameMember(workroom.home, member.id, name)
  const one = await new ScriptlessBrowser(workroom, '<img src=x onerror=alert(1)>').signIn(key)
  for (const { text } of [await one.open(await newLink(member)), await one.open(home)]) {
    t.notMatch(text, /<script>|<img/)
    t.match(text, '<bdi>&lt;script&gt;alert&#39;x&#39;&lt;/script&gt; &amp; &quot;Co&quot;</bdi>')
  }
})

t.test('with a mail server', async (t) => {
  const server = await openMailServer(t)
  const config = { ...defaultConfig, smtp: server.smtp, publicUrl: 'https://work.example', trustProxy: true }
  const office = await startWorkroom(t, { config })
  const here = (from = '192.0.2.1') => ({
    ask: (email: string, next = '') =>
      new ScriptlessBrowser(office).submit('/signin', { email, next }, { 'X-Forwarded-For': from }),
  })
  const grace = await office.addMember({ name: 'Grace', type: 'human', email: 'Grace@example.org' })
  await office.workspace.stores.members.change(grace.member.id, { emailNotifications: false })
  const bot = await office.addMember({ name: 'Bot', type: 'agent', email: 'bot@example.org' })
  const left = await office.addMember({ name: 'Left', type: 'human', email: 'left@example.org' })
  await office.workspace.stores.members.setStatus(left.member.id, 'deactivated')

  await t.test('a sign-in link is mailed to a known address, and every answer is the same', async (t) => {
    t.match((await new ScriptlessBrowser(office).open('/signin')).text, /<label for="email">/)
    const texts = new Set<string>()
    for (const email of [
      'nobody@example.org',
      bot.member.email,
      left.member.email,
      '',
      ' grace@EXAMPLE.org',
    ]) {
      const response = await here().ask(email, '/x?y=1')
      t.equal(response.status, 200)
      texts.add(response.text)
    }
    t.equal(texts.size, 1)
    const [mail] = await server.arrived(1)
    t.match(mail, { recipients: ['Grace@example.org'], subject: 'Sign in to Testers' })
    t.notOk('list-unsubscribe' in mail!.headers, 'requested mail cannot be unsubscribed')
    const [, link] = /^https:\/\/work\.example(\/signin\/[\w-]{43}\?next=%2Fx%3Fy%3D1)$/m.exec(mail!.text)!
    t.match(mail!.html, `<a href="https://work.example${link}">Sign in</a>`)
    t.match(mail!.text, /someone requested it/)
    t.match((await new ScriptlessBrowser(office).open(link!)).text, /Grace[\s\S]*value="\/x\?y=1"/)
    const one = new ScriptlessBrowser(office)
    t.equal((await one.submit(link!, { next: '/x' }, { Origin: 'https://work.example' })).status, 303)
    t.match((await one.open(home)).text, 'Grace')
  })

  await t.test('with HTTPS, the session cookie is secure', async (t) => {
    const response = await new ScriptlessBrowser(office).submit('/signin', { key: grace.key })
    t.match(response.headers['set-cookie'], [/; secure; httponly$/])
  })

  await t.test('a mailbox gets five links in 15 minutes, and a network address ten an hour', async (t) => {
    for (let n = 0; n < 7; n++) t.equal((await here('192.0.2.2').ask('grace@example.org')).status, 200)
    await server.arrived(6)
    for (let n = 0; n < 3; n++) await here('192.0.2.2').ask('nobody@example.org')
    const refused = await here('192.0.2.2').ask('grace@example.org')
    t.match([refused.status, refused.headers['retry-after'], refused.text], [429, '3600', /role="alert"/])
    t.equal((await here('192.0.2.3').ask('nobody@example.org')).status, 200)
  })

  await t.test('mail whose link has expired is not sent', async (t) => {
    office.clock.advance(15 * minutes)
    server.mode = 'busy'
    const { connections } = server
    await here().ask('grace@example.org')
    await office.eventually(() => server.connections > connections)
    // The mail is put off until its next attempt.
    await office.eventually(() => countIn(office.home, 'mail_outbox WHERE attempts = 1') === 1)
    server.mode = 'accept'
    office.clock.advance(16 * minutes)
    await here().ask('grace@example.org')
    await server.arrived(7)
    await office.eventually(() => countIn(office.home, 'mail_outbox') === 0)
    t.equal(server.mails.length, 7)
  })
})
