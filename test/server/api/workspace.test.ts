import t from 'tap'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { owner, request, workspace } = workroom
const rename = (name: unknown, key = owner.key) => request('PATCH', '/api/workspace', { key, body: { name } })
const browser = await new ScriptlessBrowser(workroom).signIn(owner.key)

t.test('a new name of the workspace is shown everywhere at once, and the slug stays', async (t) => {
  const {
    identity: { id },
  } = workspace
  t.strictSame((await request('GET', '/api/workspace')).json, {
    workspace: { id, name: 'Testers', slug: 'testers' },
  })
  const response = await rename('Analytical Engines')
  t.strictSame(
    [response.status, response.json],
    [200, { workspace: { id, name: 'Analytical Engines', slug: 'testers' } }],
  )
  const shown = async () => [
    (await browser.open('/')).text.includes('<bdi>Analytical Engines</bdi></a>'),
    (await new ScriptlessBrowser(workroom).open('/signin')).text.includes(
      'Sign in to <bdi>Analytical Engines</bdi>',
    ),
    (await new ScriptlessBrowser(workroom).open('/join')).text.includes('Join <bdi>Analytical Engines</bdi>'),
    (await request('GET', '/v1/fs')).text.includes('Analytical Engines'),
    (await request('GET', '/v1/fs/audit/usage.md')).text.includes('Analytical Engines'),
    (await request('GET', '/v1/fs/me/api-key')).text.includes('workspace: testers\n'),
  ]
  t.strictSame(await shown(), [true, true, true, true, true, true])
  await workroom.restart()
  t.strictSame((await request('GET', '/api/workspace')).json.workspace.name, 'Analytical Engines')
})

t.test('a name set on the command line is shown at the next request', async (t) => {
  const beside = openForCommandLine(workroom.home)
  t.teardown(() => beside.close())
  await beside.identity.setName('Harbour')
  t.equal((await request('GET', '/api/workspace')).json.workspace.name, 'Harbour')
})

t.test('an invalid name is refused, and only owners and admins can change the name', async (t) => {
  for (const name of ['', ' ', 'two\nlines', 'x'.repeat(81), 'a\u2028b']) {
    t.match(await rename(name), { status: 400, json: { error: /1 to 80 characters/, code: 'bad_request' } })
  }
  t.equal((await rename(7)).status, 400)
  const { member, key } = await workroom.addMember({ name: 'Grace', type: 'human' })
  t.equal((await rename('Hers', key)).status, 403)
  await workroom.workspace.stores.members.change(member.id, { role: 'admin' })
  const limited = await workroom.workspace.stores.members.addKey(member.id, { scopes: ['rooms:write'] })
  t.match(await rename('Hers', limited.key), { status: 403, json: { error: /limited to some scopes/ } })
  t.equal((await rename('Hers', key)).status, 200)
})

t.test('the settings page has a field for the name, for owners and admins', async (t) => {
  t.match((await browser.open('/account')).text, /data-call="PATCH \/api\/workspace"[\s\S]*value="Hers"/)
  const { key } = await workroom.addMember({ name: 'Linus', type: 'human' })
  const linus = await new ScriptlessBrowser(workroom).signIn(key)
  t.notMatch((await linus.open('/account')).text, '/api/workspace')
})

t.test(
  'the first page asks the first owner for their own name and for the name of the workspace',
  async (t) => {
    const fresh = await startWorkroom(t, { owner: 'root' })
    const first = await new ScriptlessBrowser(fresh).signIn(fresh.owner.key)
    const { text } = await first.open('/')
    t.match(
      text,
      new RegExp(`data-call="PATCH /api/members/${fresh.owner.member.id}"[\\s\\S]*name="name" value="root"`),
    )
    t.match(text, /data-call="PATCH \/api\/workspace"[\s\S]*name="name" value="Testers"/)
    await fresh.addMember({ name: 'Grace', type: 'human' })
    t.notMatch((await first.open('/')).text, 'PATCH /api/workspace')
  },
)
