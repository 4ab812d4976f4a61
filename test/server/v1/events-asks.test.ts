import t from 'tap'
import { Events } from '../../../core/events/events.ts'
import { openDatabase } from '../../../data/database.ts'
import { databasePath } from '../../../data/home.ts'
import { eventsTable } from '../../../data/tables/events.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { startWorkroom } from '../../support/workroom.ts'

const room = await startWorkroom(t)
const { clock, home, owner, request, workspace } = room
const asker = await room.addMember({ name: 'Asker', type: 'agent' }, 'general')
const deaf = await room.addMember({ name: 'Deaf', type: 'agent', scopes: ['rooms:read'] }, 'general')
const stranger = await room.addMember({ name: 'Stranger', type: 'human' })
const projectId = workspace.projects.find('general')!.id

const asks = async (key: string, query = '') => {
  const { json } = await request('GET', `/v1/events?since=0&wait=0${query}`, { key })
  return json.events.filter((event: { type: string }) => event.type === 'ask')
}

t.test('an event of an ask shows its state at that moment to those who are in its project', async (t) => {
  const database = openDatabase(databasePath(home))
  t.teardown(() => database.close())
  const log = new Events(eventsTable(database.connection), clock, seededRandom('asks'))
  const detail = { askId: 'ask_1', preview: 'Which colour?' }
  const actorId = asker.member.id
  const { json } = await request('GET', '/v1/events?since=0&wait=0&self=include', { key: owner.key })
  const held = request('GET', `/v1/events?since=${json.cursor}&wait=10&project=general`, { key: owner.key })
  await database.commit(() => {
    log.append({ type: 'ask', projectId, actorId, detail: { ...detail, state: 'open' } })
    const answer = { state: 'resolved', chosenOption: 'Blue', resolution: 'Blue it is.' } as const
    log.append({ type: 'ask', projectId, actorId, detail: { ...detail, ...answer } })
  })
  const common = { type: 'ask', ts: clock.now(), askId: 'ask_1', preview: 'Which colour?', projectId }
  const expected = [
    { ...common, askState: 'open' },
    { ...common, askState: 'resolved', chosenOption: 'Blue', resolution: 'Blue it is.' },
  ]
  t.strictSame((await held).json.events, expected, 'also to one who waits')
  t.strictSame(await asks(owner.key), expected)
  t.strictSame(await asks(asker.key), expected, 'their own as well')
  t.strictSame(await asks(owner.key, '&doc=doc_1'), [])
  t.strictSame(await asks(deaf.key), [], 'without the scope asks:read')
  t.strictSame(await asks(stranger.key), [])
})
