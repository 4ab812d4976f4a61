import t from 'tap'
import { openChat } from '../../support/chat.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const chat = await openChat(t)
const { clock, owner } = chat
const grace = await chat.person('Grace')
const ada = await new ScriptlessBrowser(chat).signIn(owner.key)
const hers = await new ScriptlessBrowser(chat).signIn(grace.key)
const { _id: room } = await chat.room(owner, { name: 'Talk', type: 'closed' })
const path = `/rooms/${room}`

const touchedIn = (page: string) => /data-touched="(\d+)"/.exec(page)![1]!
const idsIn = (text: string) =>
  [...text.matchAll(/<article class="[^"]*" id="((?:root-)?msg_\w+)"/g)].map(([, id]) => id)
/** The changes of the room since a page was loaded. */
async function changesSince(sequence: string, query = '') {
  const { status, text } = await ada.open(`${path}?part=changes&since=${sequence}${query}`)
  return { status, text, ids: idsIn(text) }
}
/** Waits for a change to be published, which happens in a turn after the response. */
const published = async (sequence: string) =>
  chat.eventually(async () => touchedIn((await ada.open(path)).text) !== sequence)

t.test('the changes of a room since its page was loaded can be fetched without the rest', async (t) => {
  const first = await chat.post(owner, room, 'First')
  await chat.post(owner, room, 'Second')
  const sequence = touchedIn((await ada.open(path)).text)
  t.same((await changesSince(sequence)).ids, [])
  const third = await chat.post(owner, room, 'Third')
  await chat.edit(owner, room, first, 'First *changed*')
  await published(sequence)
  const changed = await changesSince(sequence)
  t.same(changed.ids, [first, third])
  t.match(changed.text, 'First <em>changed</em>')
  t.match(changed.text, 'id="room-head"')
  t.notMatch(changed.text, /<main|<nav|Second/)
  const reply = await chat.post(owner, room, 'A reply', { threadId: first })
  await chat.eventually(async () => (await changesSince(sequence, `&thread=${first}`)).ids.includes(reply))
  t.same((await changesSince(sequence, `&thread=${first}`)).ids, [first, third, `root-${first}`, reply])
  t.same((await changesSince(sequence, `&from=${third}`)).ids, [third])
})

t.test('a page whose changes are not all known is to be fetched whole', async (t) => {
  t.match((await changesSince('0')).text, 'data-whole')
  t.match((await changesSince(String(Number.MAX_SAFE_INTEGER))).text, 'data-whole')
  for (const since of ['', '-1', '1.5', 'x']) {
    const response = await changesSince(since)
    t.equal(response.status, 400, since)
    t.match(response.text, 'since must be')
  }
})

t.test(
  'someone who may not read a room gets none of its changes, and cannot show up as typing in it',
  async (t) => {
    t.equal((await hers.open(`${path}?part=changes&since=0`)).status, 403)
    const typing = async (browser: ScriptlessBrowser, method = 'POST', csrf?: string) =>
      browser.send(method, `${path}/typing`, {
        Origin: chat.url,
        'X-CSRF-Token': csrf ?? (await browser.csrf()),
      })
    t.equal((await typing(hers)).status, 403)
    t.equal((await typing(ada, 'POST', 'wrong')).status, 403)
    t.equal((await new ScriptlessBrowser(chat).send('POST', `${path}/typing`)).status, 401)
    const shown = async () => (await chat.detail(owner, room)).typing.map(({ name }) => name)
    t.equal((await typing(ada)).status, 204)
    t.same(await shown(), ['Ada'])
    t.equal((await typing(ada, 'DELETE')).status, 204)
    t.same(await shown(), [])
    await typing(ada)
    clock.advance(5999)
    t.same(await shown(), ['Ada'])
    clock.advance(1)
    t.same(await shown(), [], 'typing ends by itself after six seconds')
    await typing(ada)
    await chat.post(owner, room, 'Said')
    t.same(await shown(), [], 'sending a message ends typing')
  },
)

t.test('the sidebar is not sent again to a page that has the current one', async (t) => {
  const { headers, status, text } = await ada.open('/navigation?at=/')
  t.equal(status, 200)
  const again = await ada.open('/navigation?at=/', { 'If-None-Match': headers.etag })
  t.same([again.status, again.text], [304, ''])
  await chat.room(owner, { name: 'Another' })
  const other = await ada.open('/navigation?at=/', { 'If-None-Match': headers.etag })
  t.equal(other.status, 200)
  t.not(other.text, text)
  t.match(other.text, 'Another')
})

t.test('the sidebar marks the open room, whichever of its addresses was requested', async (t) => {
  for (const address of [path, '/rooms/talk', `${path}/settings`]) {
    t.match((await ada.open(address)).text, /<a href="\/rooms\/talk" aria-current="page">/, address)
  }
})
