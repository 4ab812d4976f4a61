import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import { leaveProject } from '../../support/leave-project.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { TestClock } from '../../support/test-clock.ts'
import { startWorkroom } from '../../support/workroom.ts'

/** A clock that knows its pending alarms. */
class WatchedClock extends TestClock {
  readonly waiting = new Set<object>()

  override at(timeMs: number, ring: () => void) {
    const alarm = {}
    this.waiting.add(alarm)
    const timer = super.at(timeMs, () => {
      this.waiting.delete(alarm)
      ring()
    })
    const cancel = () => {
      this.waiting.delete(alarm)
      timer.cancel()
    }
    return { cancel }
  }
}

const clock = new WatchedClock()
const workroom = await startWorkroom(t, { clock, faults: { markdown: sharedMarkdown(t) } })
const { request, owner, workspace, home } = workroom
const general = '/v1/fs/projects/general'

await request('POST', '/v1/fs/projects', { body: { name: 'Secret plans' } })
const secret = '/v1/fs/projects/secret-plans'
const grace = await workroom.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general', 'secret-plans')

interface Row {
  docId: string
  title: string
  here: { name: string; memberId: string }[]
}
const presence = (query = '', key = owner.key) => request('GET', `/v1/presence${query}`, { key })
const documents = async (query = '', key = owner.key): Promise<Row[]> =>
  (await presence(query, key)).json.documents
/** Returns who is where, as `Title: name, name`. */
const shown = async (query = '', key = owner.key) =>
  (await documents(query, key)).map(
    ({ title, here }) => `${title}: ${here.map(({ name }) => name).join(', ')}`,
  )

/** Creates a document that nobody has open. @returns its path */
async function makeDocument(title: string, project = general): Promise<string> {
  const { json } = await request('PUT', `${project}/docs/${title.toLowerCase()}.md`, {
    body: `# ${title}\n\nText.\n`,
  })
  await request('POST', `${json.path}/_presence?leave`)
  return json.path
}
const beat = (path: string, key = owner.key, query = '') =>
  request('POST', `${path}/_presence${query}`, { key })
/** Waits until all presence has expired. */
const everybodyGone = () => clock.advance(90_000)

t.beforeEach(everybodyGone)

t.test('without presence the list is empty', async (t) => {
  const { status, json } = await presence()
  t.equal(status, 200)
  t.strictSame(json, { ttlSeconds: 90, member: null, documents: [] })
})

t.test(
  'presence is grouped by document and lists its members, with all that one needs to go there',
  async (t) => {
    const path = await makeDocument('Plan')
    const { blocks } = (await request('GET', `${path}?view=blocks`)).json
    const block = blocks.at(-1).id
    await beat(path, owner.key, '?kind=viewing')
    clock.advance(5000)
    await beat(path, bot.key, `?block=${block}`)
    const { headers, text } = await request('GET', path)
    const docId = /^id: (.*)$/m.exec(text)![1]
    t.strictSame((await presence()).json, {
      ttlSeconds: 90,
      member: null,
      documents: [
        {
          docId,
          title: 'Plan',
          filename: 'plan.md',
          path: `${general}/library/documents/plan.md`,
          project: { slug: 'general', name: 'General' },
          url: headers['x-service-url'],
          here: [
            {
              memberId: bot.member.id,
              name: 'Bot',
              type: 'agent',
              kind: 'editing',
              block,
              lastSeenAt: clock.now(),
            },
            {
              memberId: owner.member.id,
              name: 'Ada',
              type: 'human',
              kind: 'viewing',
              block: null,
              lastSeenAt: clock.now() - 5000,
            },
          ],
        },
      ],
    })
  },
)

t.test('the document with the latest activity comes first, and the member seen last', async (t) => {
  const [one, two] = [await makeDocument('One'), await makeDocument('Two')]
  await beat(one)
  await beat(two)
  t.strictSame(await shown(), ['Two: Ada', 'One: Ada'])
  clock.advance(1000)
  await beat(one, bot.key)
  t.strictSame(await shown(), ['One: Bot, Ada', 'Two: Ada'])
  await beat(one)
  t.strictSame(await shown(), ['One: Ada, Bot', 'Two: Ada'])
  clock.advance(1000)
  await beat(two, grace.key)
  t.strictSame(await shown(), ['Two: Grace Hopper, Ada', 'One: Ada, Bot'])
  t.strictSame(await shown('?member=self'), ['One: Ada', 'Two: Ada'], 'in the order of that member')
})

t.test('presence lasts for less than 90 seconds after a heartbeat', async (t) => {
  const [one, two] = [await makeDocument('One'), await makeDocument('Two')]
  await beat(one)
  await beat(two)
  clock.advance(30_000)
  await beat(two, bot.key)
  clock.advance(59_999)
  t.strictSame(await shown(), ['Two: Bot, Ada', 'One: Ada'])
  clock.advance(1)
  t.strictSame(await shown(), ['Two: Bot'])
  clock.advance(29_999)
  t.strictSame(await shown(), ['Two: Bot'])
  clock.advance(1)
  t.strictSame(await shown(), [])
})

t.test('reading presence neither adds the caller nor renews an entry', async (t) => {
  const path = await makeDocument('Read')
  await beat(path, bot.key)
  clock.advance(60_000)
  for (const query of ['', '?member=self', '?member=Bot']) {
    t.equal((await presence(query)).status, 200)
    t.equal((await request('HEAD', `/v1/presence${query}`)).status, 200)
  }
  for (const view of ['', '?view=blocks', '?view=outline', '/_revisions']) await request('GET', path + view)
  t.strictSame(await shown(), ['Read: Bot'])
  clock.advance(30_000)
  t.strictSame(await shown(), [])
})

t.test('documents in projects that the caller is not in are not listed', async (t) => {
  const [open, hidden] = [await makeDocument('Open'), await makeDocument('Hidden', secret)]
  await beat(hidden, bot.key)
  await beat(open, bot.key)
  t.strictSame(await shown('', grace.key), ['Open: Bot'])
  t.strictSame(await shown('?member=Bot', grace.key), ['Open: Bot'])
  t.strictSame(await shown('', bot.key), ['Open: Bot', 'Hidden: Bot'])
  t.strictSame(await shown(), ['Open: Bot', 'Hidden: Bot'], 'the owner is in both projects')

  const eve = await workroom.addMember({ name: 'Eve', type: 'human' })
  t.strictSame((await presence('', eve.key)).json, { ttlSeconds: 90, member: null, documents: [] })
  await workspace.stores.projects.join(workspace.stores.projects.find('secret-plans')!, eve.member, 'member')
  t.strictSame(await shown('', eve.key), ['Hidden: Bot'], 'visible from the moment of joining')
  await leaveProject(home, workspace.stores.projects.find('secret-plans')!.id, eve.member.id)
  t.strictSame(await shown('', eve.key), [], 'until leaving')
})

t.test(
  '?member= takes an id, a name in any case, a slug, or self, and lists that member alone',
  async (t) => {
    const [one, two] = [await makeDocument('One'), await makeDocument('Two')]
    await beat(one, grace.key)
    await beat(one, bot.key)
    await beat(two, bot.key)
    const { id } = grace.member
    for (const asked of [id, 'Grace Hopper', 'grace hopper', 'GRACE HOPPER', 'grace-hopper']) {
      const { json } = await presence(`?member=${encodeURIComponent(asked)}`)
      t.strictSame(json.member, { _id: id, name: 'Grace Hopper', type: 'human' }, asked)
      t.match(json.documents, [{ title: 'One', here: [{ memberId: id }] }], asked)
      t.strictSame([json.documents.length, json.documents[0].here.length], [1, 1])
    }
    t.strictSame(await shown('?member=bot'), ['Two: Bot', 'One: Bot'])
    const own = (await presence('?member=self', bot.key)).json
    t.strictSame(own.member, { _id: bot.member.id, name: 'Bot', type: 'agent' })
    t.equal(own.documents.length, 2)
    t.strictSame((await presence('?member=self')).json, {
      ttlSeconds: 90,
      member: { _id: owner.member.id, name: 'Ada', type: 'human' },
      documents: [],
    })
  },
)

t.test('an exact name takes precedence over the same name in another case', async (t) => {
  const upper = await workroom.addMember({ name: 'ÉMILE', type: 'human' })
  const lower = await workroom.addMember({ name: 'émile', type: 'human' })
  const meant = async (name: string) =>
    (await presence(`?member=${encodeURIComponent(name)}`)).json.member._id
  t.equal(await meant('émile'), lower.member.id)
  t.equal(await meant('ÉMILE'), upper.member.id)
  t.equal(await meant('Émile'), upper.member.id, 'the older of two')
  t.equal(await meant('e\u0301mile'.toUpperCase()), upper.member.id, 'in either Unicode form')
})

t.test('an unknown member is 404, and so is a deactivated one', async (t) => {
  const gone = await workroom.addMember({ name: 'Gone', type: 'human' }, 'general')
  await workspace.stores.members.setStatus(gone.member.id, 'deactivated')
  for (const asked of ['Nobody', 'mem_00000000000000000000000000', '', '*', 'Gone', 'gone', gone.member.id]) {
    const { status, json } = await presence(`?member=${asked}`)
    t.match([status, json], [404, { error: /no active member/, requestId: String }], asked)
  }
  t.equal((await presence('?member=Ada&member=Bot')).status, 400)
})

t.test('a deactivated member is not listed, and is again when activated in time', async (t) => {
  const path = await makeDocument('Status')
  const eve = await workroom.addMember({ name: 'Status Eve', type: 'human' }, 'general')
  await beat(path, eve.key)
  t.strictSame(await shown(), ['Status: Status Eve'])
  await workspace.stores.members.setStatus(eve.member.id, 'deactivated')
  t.strictSame(await shown(), [])
  await workspace.stores.members.setStatus(eve.member.id, 'active')
  t.strictSame(await shown(), ['Status: Status Eve'])
})

t.test('a new title shows at once, and a deleted document is not listed', async (t) => {
  const path = await makeDocument('Old')
  await beat(path, bot.key)
  const { json } = await request('PUT', path, { body: '# New\n\nText.\n', key: bot.key })
  t.match(await documents(), [{ docId: json.id, title: 'New', filename: 'new.md', path: json.path }])
  await request('DELETE', json.path)
  t.strictSame(await documents(), [])
  await request('POST', `${general}/trash/${json.id}/_restore`)
  t.strictSame(await documents(), [])
})

t.test('only documents are listed: no post, draft or card that somebody writes', async (t) => {
  for (const folder of ['posts', 'drafts', 'board/todo'])
    t.equal((await request('PUT', `${general}/${folder}/x.md`, { body: '# X\n' })).status, 201)
  t.strictSame(await documents(), [])
  await request('PUT', `${general}/docs/x.md`, { body: '# X\n' })
  t.strictSame(await shown(), ['X: Ada'])
})

t.test('presence needs a key with documents:read', async (t) => {
  const keyWith = async (scopes: string[]) =>
    (await workspace.stores.members.addKey(bot.member.id, { scopes })).key
  const without = await keyWith(agentScopes.filter((scope) => scope !== 'documents:read'))
  const { status, json } = await presence('', without)
  t.match([status, json], [403, { error: /documents:read/, requestId: String }])
  t.equal((await presence('', await keyWith(['documents:read']))).status, 200)
  t.equal((await request('GET', '/v1/presence', { key: undefined })).status, 401)
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const { status, headers } = await request(method, '/v1/presence')
    t.strictSame([status, headers.allow], [405, 'GET, HEAD'], method)
  }
})

t.test(
  'presence in many documents leaves nothing in memory after 90 seconds, and no alarm either',
  async (t) => {
    const paths: string[] = []
    for (let n = 0; n < 20; n++) paths.push(await makeDocument(`Many${n}`))
    everybodyGone()
    const before = clock.waiting.size
    for (let n = 0; n < 200; n++) {
      await beat(paths[n % paths.length]!, [owner, grace, bot][n % 3]!.key)
      clock.advance(10)
    }
    t.equal((await documents()).length, 20)
    t.equal(clock.waiting.size, before + 1, 'one alarm for all')
    clock.advance(90_000)
    await workroom.eventually(() => clock.waiting.size === before)
    t.strictSame(await documents(), [])
  },
)
