import t from 'tap'
import type { Outbound, OutboundResponse } from '../../../data/outbound/http.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const asked: string[] = []
const answers = new Map<string, Partial<OutboundResponse>>()
const outbound: Outbound = {
  checkUrl: async () => null,
  async request({ url }) {
    asked.push(url)
    const body = Buffer.from('picture')
    const headers = { 'content-type': 'image/png' }
    return { kind: 'response', status: 200, headers, body, isTruncated: false, ...answers.get(url) }
  },
}
const workroom = await startWorkroom(t, { faults: { outbound } })
const { clock, owner, request } = workroom
const browser = await new ScriptlessBrowser(workroom).signIn(owner.key)
const { id } = owner.member
const picture = (url: string) =>
  request('PATCH', `/api/members/${id}`, { body: { avatarUrl: url } }).then(() =>
    browser.open(`/avatars/${id}`),
  )

t.test('a member without a picture is shown by their initials', async (t) => {
  t.match((await browser.open('/members')).text, /<span class="avatar" aria-hidden="true">A<\/span>/)
  const { text, headers } = await browser.open(`/avatars/${id}`)
  t.match(text, /<svg[\s\S]*>A<\/text>/)
  t.match(headers, { 'content-type': /svg/, 'content-security-policy': "default-src 'none'; sandbox" })
})

t.test('the server fetches a member’s picture, at most once an hour', async (t) => {
  const url = 'https://example.org/ada.png'
  const { text, headers } = await picture(url)
  t.equal(text, 'picture')
  t.match(headers, { 'content-type': 'image/png', 'x-content-type-options': 'nosniff' })
  t.match((await browser.open('/members')).text, new RegExp(`<img class="avatar" src="/avatars/${id}\\?v=`))
  t.notMatch((await browser.open('/members')).text, url)
  t.same(asked, [url])
  clock.advance(60 * 60 * 1000)
  await browser.open(`/avatars/${id}`)
  t.same(asked, [url, url])
})

t.test('a response that is not a picture is not passed on', async (t) => {
  const cases: Partial<OutboundResponse>[] = [
    { status: 404 },
    { headers: { 'content-type': 'image/svg+xml' } },
    { headers: { 'content-type': 'text/html' } },
    { headers: {} },
  ]
  for (const [index, response] of cases.entries()) {
    const url = `https://example.org/${index}`
    answers.set(url, response)
    t.match((await picture(url)).text, /^<svg/, url)
  }
})

t.test('only signed-in members can load pictures', async (t) => {
  t.equal((await new ScriptlessBrowser(workroom).open(`/avatars/${id}`)).status, 401)
  t.equal((await browser.open('/avatars/mem_nobody')).status, 404)
})

t.test('pictures are shown beside messages and comments, and on cards', async (t) => {
  await picture('https://example.org/ada.png')
  const shown = new RegExp(`<img class="avatar" src="/avatars/${id}\\?v=`, 'g')
  const count = async (page: string) => (await browser.open(page)).text.match(shown)?.length ?? 0
  for (const body of ['One', 'Two']) await request('POST', '/api/rooms/general/messages', { body: { body } })
  t.equal(await count('/rooms/general'), 1, 'a group of messages has one')
  const project = '/v1/fs/projects/general'
  const card = '---\nassignees: [Ada]\n---\n# Paint the mast\n'
  const { json } = await request('PUT', `${project}/board/todo/mast.md`, { body: card })
  const before = await count(new URL(json.url).pathname)
  await request('POST', `/v1/documents/${json.id}/comments`, { body: { body: 'Red?' } })
  t.equal(await count(new URL(json.url).pathname), before + 1)
  t.equal(await count('/projects/general/board'), 1, 'the card on the board has one')
  await picture('')
  t.equal(await count('/projects/general/board'), 0)
  const { text } = await browser.open('/rooms/general')
  t.match(text, /<span class="avatar" aria-hidden="true">A<\/span><a class="by"/)
})
