import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { clock, request, workspace } = workroom
const dayMs = 24 * 60 * 60 * 1000
const bob = await workroom.addMember({ name: 'Bob', type: 'human' })
const scout = await workroom.addMember({ name: 'Scout', type: 'agent', ownerId: bob.member.id })
const other = await workroom.addMember({ name: 'Other', type: 'agent' })

const add = (who: string, body: unknown = {}, key = bob.key) =>
  request('POST', `/api/members/${who}/keys`, { key, body })
const list = async (who: string, key = bob.key) => request('GET', `/api/members/${who}/keys`, { key })
const opens = async (key: string) => (await request('GET', '/v1/fs/me/api-key', { key })).status

t.test('people list, create, rotate and revoke their own keys, and those of their agents', async (t) => {
  for (const who of ['Bob', 'Scout']) {
    const { status, json } = await add(who, { label: 'Laptop' })
    t.match([status, json], [201, { label: 'Laptop', key: /^wr_/ }])
    t.match((await list(who)).json, { keys: [{ label: '' }, { label: 'Laptop' }] })
    const path = `/api/members/${who}/keys/${json.id}`
    const rotated = await request('POST', `${path}/rotate`, { key: bob.key })
    t.equal(rotated.status, 201)
    t.same([await opens(json.key), await opens(rotated.json.key)], [401, 200])
    const end = `/api/members/${who}/keys/${rotated.json.id}`
    t.equal((await request('DELETE', end, { key: bob.key })).status, 200)
    t.equal(await opens(rotated.json.key), 401)
  }
})

t.test('people cannot manage keys of others, nor of an agent with more power than they have', async (t) => {
  for (const who of ['Ada', 'Other']) t.equal((await add(who)).status, 403, who)
  for (const [key, who] of [
    [scout.key, 'Scout'],
    [scout.key, 'Bob'],
    [other.key, 'Scout'],
  ] as const) {
    t.equal((await add(who, {}, key)).status, 403)
    t.equal((await list(who, key)).status, 403)
  }
  await workspace.stores.members.change(scout.member.id, { role: 'admin' })
  t.match(await add('Scout'), { status: 403 })
  await workspace.stores.members.change(scout.member.id, { role: 'member' })
})

t.test(
  'a key that expires stops working then, says when, and has the same lifetime after a rotation',
  async (t) => {
    const expiresAt = clock.now() + 30 * dayMs
    const { json } = await add('Scout', { expiresAt })
    t.equal(json.expiresAt, expiresAt)
    t.match((await list('Scout')).json.keys.at(-1), { id: json.id, expiresAt })
    t.equal(await opens(json.key), 200)
    clock.advance(30 * dayMs)
    t.equal(await opens(json.key), 401)
    const rotated = await request('POST', `/api/members/Scout/keys/${json.id}/rotate`, { key: bob.key })
    t.match(rotated, { status: 201, json: { expiresAt: clock.now() + 30 * dayMs } })
    t.equal(await opens(rotated.json.key), 200)
    for (const wrong of [clock.now(), clock.now() - 1, 1.5, 'tomorrow']) {
      t.equal((await add('Scout', { expiresAt: wrong })).status, 400, String(wrong))
    }
    t.notOk('expiresAt' in (await add('Scout', { expiresAt: null })).json)
  },
)

t.test('a held request ends when its key expires', async (t) => {
  const { json } = await add('Bob', { expiresAt: clock.now() + 1000 })
  const caller = workspace.stores.members.authenticate(json.key)!
  clock.advance(1000)
  t.equal(workspace.stores.members.refreshCaller(caller), null)
})

t.test(
  'a key that is limited or expires creates no key, signs nobody in and administers nothing',
  async (t) => {
    const limited = (await add('Bob', { scopes: agentScopes.slice(1) })).json.key
    const expiring = (await add('Bob', { expiresAt: clock.now() + dayMs })).json.key
    for (const [key, reason] of [
      [limited, /limited to some scopes/],
      [expiring, /This key expires/],
    ] as const) {
      t.match(await add('Bob', {}, key), { status: 403, json: { error: reason } })
      t.match(await list('Bob', key), { status: 403, json: { error: reason } })
      t.match((await new ScriptlessBrowser(workroom).submit('/signin', { key })).text, reason)
      const renaming = { key, body: { name: 'Robert' } }
      t.match(await request('PATCH', `/api/members/${bob.member.id}`, renaming), { status: 403 })
    }
  },
)

t.test('a session can create keys for 15 minutes after signing in, and later list and revoke', async (t) => {
  const browser = new ScriptlessBrowser(workroom)
  const { path } = await workspace.stores.signinLinks.issue(bob.member)
  await browser.submit(path, {})
  const session = workspace.signin.sessions.find(browser.cookie!.split('=')[1]!)!
  const { members } = workspace.people
  const { id } = await members.addKey(session.caller, 'Bob', { label: 'Phone' })
  clock.advance(16 * 60_000)
  const { caller } = workspace.signin.sessions.find(browser.cookie!.split('=')[1]!)!
  t.throws(() => members.addKey(caller, 'Bob', {}), /within 15 minutes of signing in/)
  t.throws(() => members.rotateKey(caller, 'Bob', id), /within 15 minutes of signing in/)
  t.match((await browser.open('/account/keys')).text, '/signin?again=1&amp;next=%2Faccount%2Fkeys')
  t.ok(members.keys(caller, 'Bob').some((key) => key.id === id))
  await members.revokeKey(caller, 'Bob', id)
})

t.test('a member has at most 100 keys, and expired ones are removed after 30 days', async (t) => {
  while (workspace.stores.members.keys(bob.member.id).length < 100) {
    await workspace.stores.members.addKey(bob.member.id, { expiresAt: clock.now() + dayMs })
  }
  t.match(await add('Bob'), { status: 409, json: { error: /at most 100 keys/ } })
  clock.advance(32 * dayMs)
  t.equal((await add('Bob')).status, 201)
  t.ok((await list('Bob')).json.keys.length < 10)
})
