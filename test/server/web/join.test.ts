import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { clock, log, owner, request, workspace } = workroom
const ada = workspace.stores.members.authenticate(owner.key)!
const hourMs = 3_600_000
const browser = () => new ScriptlessBrowser(workroom)
const codeFor = async (invite: Parameters<typeof workspace.people.invites.create>[1] = {}) =>
  (await workspace.people.invites.create(ada, invite)).code
const names = async () =>
  (await request('GET', '/api/members')).json.map(({ name }: { name: string }) => name)
const join = (fields: Record<string, string>, one = browser()) => {
  // Keeps the attempts below the limit, which has a test of its own.
  clock.advance(hourMs)
  return one.submit('/join', fields)
}

t.test('a person with an invite joins on a page, is signed in, and sees a key once', async (t) => {
  const code = await codeFor({ role: 'admin' })
  const one = browser()
  t.match((await one.open('/signin')).text, '<a href="/join">')
  t.match((await one.open(`/join?invite=${code}`)).text, `value="${code}"`)
  const typed = code.toLowerCase().replaceAll('-', ' ')
  const welcome = await join({ invite: ` ${typed} `, name: ' Grace ', email: 'grace@example.org' }, one)
  t.equal(welcome.status, 201)
  t.match(welcome.headers, { 'cache-control': 'no-store' })
  const [, key] = /<code>(wr_\w+)<\/code>/.exec(welcome.text)!
  t.match((await one.open('/')).text, /<bdi>Grace<\/bdi>/)
  t.match(workspace.stores.members.authenticate(key!)?.member, {
    name: 'Grace',
    type: 'human',
    role: 'admin',
    email: 'grace@example.org',
  })
  t.equal((await request('GET', '/api/rooms', { key: key! })).status, 200)
  t.notMatch(log.text(), code)
  t.notMatch(log.text(), key!)

  const again = await join({ invite: code, name: 'Grace' }, one)
  t.match([again.status, again.headers.location], [303, '/'], 'sending it twice is harmless')
  t.match((await one.open('/join')).headers.location, '/')
  t.same((await names()).sort(), ['Ada', 'Grace'])
})

t.test('a form with a mistake lets nobody in, and comes back with the mistake and the input', async (t) => {
  const before = await names()
  const good = await codeFor({ uses: 10 })
  const cases: [fields: Record<string, string>, status: number, text: RegExp][] = [
    [{ invite: '', name: 'Eve' }, 400, /Enter your invite code/],
    [{ invite: good, name: ' ' }, 400, /Enter your name/],
    [{ invite: '7QK2-M9XA-3TVD', name: 'Eve' }, 403, /not valid/],
    [{ invite: '<b>"x', name: '<i>"Eve' }, 403, /not valid/],
    [{ invite: good, name: 'Ada' }, 409, /Ada/],
    [{ invite: good, name: 'Eve', email: 'no address' }, 400, /address|e-?mail/i],
    [{ invite: await codeFor({ type: 'agent' }), name: 'Eve' }, 403, /for an agent/],
  ]
  for (const [fields, status, text] of cases) {
    const one = browser()
    const response = await join(fields, one)
    t.equal(response.status, status, JSON.stringify(fields))
    t.match(/<p class="problem" role="alert">(.*)<\/p>/.exec(response.text)?.[1], text)
    t.equal(one.cookie, null)
    t.notMatch(response.text, /<b>|<i>/)
    for (const [name, value] of Object.entries(fields)) {
      const shown = value.trim().replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
      t.ok(response.text.includes(`name="${name}"`) && response.text.includes(`value="${shown}"`), shown)
    }
  }
  t.same(await names(), before)
  t.match(workspace.people.invites.list(ada), [{ usesLeft: 10 }, {}], 'no invite is used up')
})

t.test('a form from another site is refused, and the page and the interface share one limit', async (t) => {
  const code = await codeFor()
  clock.advance(hourMs)
  const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
  t.equal((await browser().submit('/join', { invite: code, name: 'Eve' }, foreign)).status, 403)
  for (const name of ['One', 'Two']) {
    t.equal((await browser().submit('/join', { invite: 'guess', name })).status, 403)
  }
  t.equal((await request('POST', '/v1/onboard', { body: { invite: 'guess', name: 'Three' } })).status, 403)
  const held = await browser().submit('/join', { invite: code, name: 'Four' })
  t.match([held.status, held.headers['retry-after']], [429, '3600'])
  t.match(held.text, /Too many attempts/)
  t.match(await request('POST', '/v1/onboard', { body: { invite: code, name: 'Five' } }), { status: 429 })
  clock.advance(hourMs)
  t.equal((await browser().submit('/join', { invite: code, name: 'Six' })).status, 201)
})

t.test('people who join do not use up the attempts of others at the same network address', async (t) => {
  clock.advance(hourMs)
  for (const name of ['Ann', 'Ben', 'Cem', 'Dot', 'Eli']) {
    t.equal((await browser().submit('/join', { invite: await codeFor(), name })).status, 201, name)
  }
  for (let n = 0; n < 3; n++) {
    t.equal((await browser().submit('/join', { invite: 'guess', name: 'Fay' })).status, 403)
  }
  t.equal((await browser().submit('/join', { invite: await codeFor(), name: 'Fay' })).status, 429)
})
