import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import { mention } from '../../support/chat.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { minutes, openOffice } from '../mail/office.ts'

const office = await openOffice(t)
const { clock, grace, owner, request, server, workspace } = office
const path = `/api/members/${grace.member.id}`
const keyOf = async (...scopes: string[]) =>
  (await workspace.stores.members.addKey(grace.member.id, { scopes })).key
const patch = (key: string, body: object, target = path) => request('PATCH', target, { key, body })
const emailOf = () => workspace.stores.members.find(grace.member.id)!.email

/** Returns the links to sign in that were mailed to an address, newest last. */
const linksTo = (address: string) =>
  server.mails
    .filter(({ recipients, subject }) => recipients.includes(address) && subject.startsWith('Sign in'))
    .map(({ text }) => /\/signin\/[\w-]{43}/.exec(text)![0])

const askForLink = (email: string) =>
  new ScriptlessBrowser(office).submit('/signin', { email }, { Origin: 'https://work.example' })

t.test('a limited key cannot change the name or mail of its member, and learns what can', async (t) => {
  const before = workspace.stores.members.find(grace.member.id)
  const changes = [
    { email: 'mallory@example.org' },
    { email: '' },
    { emailNotifications: false },
    { name: 'Mallory' },
    { statusText: 'x', email: 'mallory@example.org' },
  ]
  const sets = [['documents:read'], agentScopes.filter((scope) => scope !== 'webhooks:write')]
  for (const scopes of sets) {
    const key = await keyOf(...scopes)
    for (const change of changes) {
      const { status, json } = await patch(key, change)
      t.match(
        [status, json],
        [403, { error: /limited to some scopes\. Changing \w+ takes a key that carries all/ }],
        JSON.stringify(change),
      )
    }
  }
  t.same(workspace.stores.members.find(grace.member.id), before)
  await askForLink('mallory@example.org')
  t.same(linksTo('mallory@example.org'), [], 'no link to sign in is mailed elsewhere')
})

t.test('a new mail address ends the links to the old one, which is informed', async (t) => {
  await askForLink('grace@example.org')
  await office.eventually(() => linksTo('grace@example.org').length === 1)
  const [link] = linksTo('grace@example.org')
  t.equal((await new ScriptlessBrowser(office).open(link!)).status, 200)
  const sent = server.mails.length
  t.equal((await patch(grace.key, { emailNotifications: false })).status, 200)
  t.equal((await patch(grace.key, { email: 'hopper@example.org' })).status, 200)
  t.equal((await new ScriptlessBrowser(office).open(link!)).status, 404)
  await office.eventually(() => server.mails.length > sent)
  const notice = server.mails.at(-1)!
  t.match(notice, { recipients: ['grace@example.org'], subject: 'Email address at Testers was changed' })
  t.match(notice.text, /Grace/)
  t.match(notice.text, /owner or admin/)
  t.notMatch(notice.text, 'hopper@example.org')
  t.notOk('list-unsubscribe' in notice.headers)
  t.equal((await patch(grace.key, { email: 'hopper@example.org', statusText: 'x' })).status, 200)
  t.equal((await patch(grace.key, { emailNotifications: true })).status, 200)
  t.equal(server.mails.length, sent + 1, 'unchanged fields send no mail')
})

t.test('a waiting mail is not sent to an address that it was not written for', async (t) => {
  server.mode = 'busy'
  await askForLink('hopper@example.org')
  await office.eventually(() => office.count('mail_outbox WHERE attempts = 1') === 1)
  server.mode = 'accept'
  const sent = server.mails.length
  await patch(grace.key, { email: 'grace@example.org' })
  await office.eventually(() => server.mails.length > sent)
  clock.advance(10 * minutes)
  await office.eventually(() => office.count('mail_outbox') === 0)
  t.same(
    server.mails.slice(sent).map(({ recipients }) => recipients),
    [['hopper@example.org'], ['hopper@example.org']],
  )
  t.equal((await new ScriptlessBrowser(office).open(linksTo('hopper@example.org')[0]!)).status, 404)
})

t.test(
  'a session can change the mail address for 15 minutes after signing in, and the rest at any time',
  async (t) => {
    const browser = await new ScriptlessBrowser(office).signIn(grace.key)
    const csrf = await browser.csrf()
    const change = (body: object) =>
      browser.send(
        'PATCH',
        path,
        { Origin: office.url, 'X-CSRF-Token': csrf, 'Content-Type': 'application/json' },
        JSON.stringify(body),
      )
    clock.advance(15 * minutes - 1)
    t.equal((await change({ email: 'early@example.org' })).status, 200)
    t.notMatch((await browser.open('/account')).text, 'again=1')
    clock.advance(1)
    const late = await change({ email: 'late@example.org', statusText: 'late' })
    t.match([late.status, late.json.error], [403, /Sign in again/])
    t.match(workspace.stores.members.find(grace.member.id), { email: 'early@example.org', statusText: 'x' })
    t.equal((await change({ email: 'early@example.org', statusText: 'late' })).status, 200)

    const [, link] = /href="(\/signin\?again=1[^"]*)"/.exec((await browser.open('/account')).text)!
    const form = await browser.open(link!.replaceAll('&amp;', '&'))
    t.match([form.status, form.text], [200, /id="key"/], 'the form is shown to those who are signed in')
    await browser.submit('/signin', { key: grace.key, next: '/account' })
    const fresh = await browser.csrf()
    const again = await browser.send(
      'PATCH',
      path,
      { Origin: office.url, 'X-CSRF-Token': fresh, 'Content-Type': 'application/json' },
      JSON.stringify({ email: 'late@example.org' }),
    )
    t.equal(again.status, 200)
    t.equal(emailOf(), 'late@example.org')
  },
)

t.test('an old session of an admin cannot change the mail address of another member either', async (t) => {
  const browser = await new ScriptlessBrowser(office).signIn(owner.key)
  const csrf = await browser.csrf()
  clock.advance(15 * minutes)
  const headers = { Origin: office.url, 'X-CSRF-Token': csrf, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ email: 'mallory@example.org' })
  t.equal((await browser.send('PATCH', path, headers, body)).status, 403)
  t.equal((await patch(owner.key, { email: 'mallory@example.org' })).status, 200)
  t.match(await office.say(mention(grace)), /^msg_/)
})
