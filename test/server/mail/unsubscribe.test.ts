import t from 'tap'
import type { ReceivedMail } from '../../support/received-mail.ts'
import { renameMember } from '../../support/rename-member.ts'
import { openOffice } from './office.ts'

const office = await openOffice(t, { delaySeconds: 0 })
const { after, grace, log, owner, request, say, workspace } = office
await say()
const [mail] = (await after(0)) as [ReceivedMail]
const [, url] = /^<(.+)>$/.exec(mail.headers['list-unsubscribe']!) as unknown as [string, string]
/** The path of the mail's link to unsubscribe. */
const link = new URL(url).pathname

const isMailed = () => workspace.stores.members.find(grace.member.id)!.emailNotifications
const turnOn = () => workspace.stores.members.change(grace.member.id, { emailNotifications: true })

t.test('the link to unsubscribe is in the header and in both parts of a mail', async (t) => {
  t.match(url, /^https:\/\/work\.example\/unsubscribe\/mem_[0-9a-z]{26}\.[\w-]{43}$/)
  t.equal(mail.headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click')
  t.ok(mail.text.includes(url))
  t.ok(mail.html.includes(`href="${url}"`))
})

t.test('a mail program unsubscribes with one POST, without a key or a cookie', async (t) => {
  const response = await request('POST', link, {
    key: undefined,
    body: 'List-Unsubscribe=One-Click',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
  t.equal(response.status, 200)
  t.notOk('set-cookie' in response.headers)
  t.equal(isMailed(), false)
  await say('after that')
  t.equal((await after(60_000)).length, 1, 'no other mail comes')
  t.match((await request('GET', '/v1/fs/inbox/mentions.md', { key: grace.key })).text, 'after that')
  const again = await request('POST', link, { key: undefined })
  t.equal(again.status, 200, 'it can be repeated, and needs no body')
  const change = { key: grace.key, body: { emailNotifications: true } }
  await request('PATCH', `/api/members/${grace.member.id}`, change)
  t.equal(isMailed(), true)
  const multipart =
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
  t.equal((await request('POST', link, { key: undefined, body: multipart, headers })).status, 200)
  t.equal(isMailed(), false)
  t.notMatch(log.text(), link.slice(-43), 'the link is in no log')
})

t.test('a GET shows a page with a button, and changes nothing', async (t) => {
  await turnOn()
  for (const method of ['GET', 'HEAD']) {
    const page = await request(method, link, { key: undefined })
    t.equal(page.status, 200)
    t.match(page.headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': /default-src 'none'/,
    })
    if (method === 'GET') t.match(page.text, /Grace[\s\S]*<form method="post"><button>/)
    t.equal(isMailed(), true)
  }
  t.match((await request('POST', link, { key: undefined })).text, 'Unsubscribed')
  const page = await request('GET', link, { key: undefined })
  t.match(page.text, 'Unsubscribed')
  t.notMatch(page.text, '<form')
})

t.test('names on the page are escaped', async (t) => {
  await turnOn()
  const name = `<script>alert('x')</script> & "Co"`.replace(/[()]/g, '')
  await renameMember(office.home, grace.member.id, name)
  await request('GET', '/api/members')
  const { text } = await request('GET', link, { key: undefined })
  t.notMatch(text, '<script>')
  t.match(text, '&lt;script&gt;alert&#39;x&#39;&lt;/script&gt; &amp; &quot;Co&quot;')
})

t.test('an invalid token is 404 and changes nothing', async (t) => {
  await turnOn()
  const [, memberId, signed] = /(mem_\w+)\.(.+)$/.exec(link)!
  const others = [
    'x',
    memberId!,
    `${memberId}.`,
    `${memberId}.${signed!.slice(0, -1)}`,
    `${memberId}.${signed}x`,
    `${memberId}.${signed!.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
    `${owner.member.id}.${signed}`,
    `${memberId!.toUpperCase()}.${signed}`,
    `${memberId}.${'A'.repeat(43)}`,
    `${memberId}.${signed}%00`,
  ]
  for (const token of others) {
    for (const method of ['GET', 'POST']) {
      const response = await request(method, `/unsubscribe/${token}`)
      t.equal(response.status, 404, `${method} ${token}`)
    }
  }
  t.equal((await request('GET', '/unsubscribe/')).status, 404)
  const put = await request('PUT', link, { key: undefined })
  t.same([put.status, put.headers.allow], [405, 'GET, HEAD, POST'])
  t.equal(isMailed(), true)
  const other = await openOffice(t)
  t.equal((await other.request('POST', new URL(url).pathname)).status, 404, 'nor in another workspace')
})

t.test('a link works after a restart, and for a deactivated member', async (t) => {
  await turnOn()
  await office.restart()
  const { members } = office.workspace.stores
  await members.setStatus(grace.member.id, 'deactivated')
  t.equal((await request('POST', link, { key: undefined })).status, 200)
  t.equal(members.find(grace.member.id)!.emailNotifications, false)
  t.equal(office.count('secrets'), 3, 'one secret signs all these links; others are for downloads and push')
})
