import t from 'tap'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import type { HttpResponse } from '../../support/http-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const hourMs = 60 * 60 * 1000
const codeForm = /^(?:[0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/

const workroom = await startWorkroom(t, { config: { trustProxy: true } })
const { request, clock, owner } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human', role: 'admin' })
const bob = await workroom.addMember({ name: 'Bob', type: 'human' })
const chief = await workroom.addMember({ name: 'Chief', type: 'agent', role: 'admin' })

const invite = (body?: unknown, { key } = owner) => request('POST', '/api/invites', { key, body })
const listed = async ({ key } = owner) => (await request('GET', '/api/invites', { key })).json.invites
const revoke = (id: string, { key } = owner) => request('DELETE', `/api/invites/${id}`, { key })
const outcome = ({ status, json }: HttpResponse) => [status, json.error]

let comers = 0
/** Onboards a new member with an invite, from an address of their own. */
const onboard = (code: string) => {
  comers += 1
  clock.advance(hourMs / 20)
  return request('POST', '/v1/onboard', {
    key: undefined,
    headers: { 'X-Forwarded-For': `192.0.2.${comers}` },
    body: { invite: code, name: `Comer ${comers}` },
  })
}

t.test('an invite is for one member of either type, unless it says otherwise', async (t) => {
  const plain = await invite()
  t.equal(plain.status, 201)
  t.strictSame(Object.keys(plain.json), ['id', 'code', 'role', 'type', 'uses', 'expiresAt'])
  t.match(plain.json.code, codeForm)
  t.match(plain.json, { id: /^inv_/, role: 'member', type: null, uses: 1, expiresAt: null })
  const expiresAt = clock.now() + hourMs
  const said = { role: 'admin', type: 'human', uses: 5, expiresAt }
  t.match(await invite(said), { status: 201, json: { code: codeForm, ...said } })
  t.match(await invite({ type: null, expiresAt: null }), {
    status: 201,
    json: { type: null, expiresAt: null },
  })
})

t.test('valid invites are listed, oldest first, without their codes', async (t) => {
  for (const { id } of await listed()) await revoke(id)
  const one = (await invite({ uses: 3 })).json
  clock.advance(1)
  const other = (await invite({ role: 'admin', type: 'agent', expiresAt: clock.now() + 1000 }, grace)).json
  const createdAt = clock.now()
  const rows = [
    {
      id: one.id,
      role: 'member',
      type: null,
      usesLeft: 3,
      expiresAt: null,
      createdBy: owner.member.id,
      createdAt: createdAt - 1,
    },
    {
      id: other.id,
      role: 'admin',
      type: 'agent',
      usesLeft: 1,
      expiresAt: createdAt + 1000,
      createdBy: grace.member.id,
      createdAt,
    },
  ]
  t.strictSame(await listed(grace), rows)
  t.equal((await onboard(one.code)).status, 201)
  t.match(await listed(), [{ usesLeft: 2 }], 'one use less, and the other has expired')
  t.notMatch(workroom.log.text(), one.code)
})

t.test('a used-up invite is no longer listed', async (t) => {
  const { code, id } = (await invite({ uses: 2 })).json
  t.equal((await onboard(code)).status, 201)
  t.equal((await onboard(code)).status, 201)
  t.equal((await onboard(code)).status, 403)
  t.notOk((await listed()).some((row: { id: string }) => row.id === id))
  t.match(outcome(await revoke(id)), [404, /There is no invite/])
})

t.test('a revoked invite admits nobody, and can be revoked once', async (t) => {
  const { code, id } = (await invite({ uses: 10 })).json
  t.match(await revoke(id, grace), { status: 200, json: { revoked: true } })
  t.equal((await onboard(code)).status, 403)
  t.match(outcome(await revoke(id)), [404, /There is no invite/])
})

t.test('an invite is valid until its expiry, and not at it', async (t) => {
  const expiresAt = clock.now() + hourMs
  const { code } = (await invite({ uses: 10, expiresAt })).json
  t.equal((await onboard(code)).status, 201)
  clock.set(expiresAt - hourMs / 20 - 1)
  t.equal((await onboard(code)).status, 201, 'a millisecond before')
  clock.set(expiresAt - hourMs / 20)
  t.equal((await onboard(code)).status, 403)
  clock.advance(1)
})

t.test('owners and admins invite with an unlimited key, and only owners invite an owner', async (t) => {
  const limited = await workroom.workspace.stores.members.addKey(chief.member.id, { scopes: ['rooms:read'] })
  const { id } = (await invite()).json
  for (const actor of [bob, { key: limited.key }]) {
    const refused = await Promise.all([
      invite({}, { ...owner, ...actor }),
      request('GET', '/api/invites', actor),
      request('DELETE', `/api/invites/${id}`, { key: actor.key }),
    ])
    for (const { status } of refused) t.equal(status, 403)
  }
  t.equal((await revoke(id)).status, 200, 'it is still there')
  t.equal((await invite({ role: 'admin' }, chief)).status, 201)
  t.match(outcome(await invite({ role: 'owner' }, grace)), [403, /Only a workspace owner/])
  t.equal((await invite({ role: 'owner' })).status, 201)
})

t.test('invalid fields of an invite are refused by name', async (t) => {
  const cases: [body: unknown, reason: RegExp][] = [
    [{ role: 'king' }, /role must be one of owner, admin, member/],
    [{ type: 'robot' }, /type must be one of human, agent or null/],
    [{ uses: 0 }, /uses .* 1 to 10000/],
    [{ uses: -1 }, /uses/],
    [{ uses: 1.5 }, /uses must be a whole number/],
    [{ uses: '2' }, /uses must be a whole number/],
    [{ uses: 10_001 }, /uses/],
    [{ expiresAt: clock.now() }, /expiresAt must be a future time/],
    [{ expiresAt: '2030-01-01' }, /expiresAt/],
    [{ use: 3 }, /There is no field use/],
  ]
  const before = (await listed()).length
  for (const [body, reason] of cases) t.match(outcome(await invite(body)), [400, reason])
  t.equal((await listed()).length, before)
})

t.test('an invite created on the command line is valid at a running server', async (t) => {
  const beside = openForCommandLine(workroom.home)
  t.teardown(() => beside.close())
  const { code } = await beside.invites.issue(beside.members.firstOwner(), {})
  t.equal((await onboard(code)).status, 201)
})
