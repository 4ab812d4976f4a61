import t from 'tap'
import { leaveProject } from '../../support/leave-project.ts'
import { type EventView, fetchEvents, fetchNewestCursor, holdRequest } from '../../support/live-events.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { clock, home, owner, request, workspace } = workroom
const asker = await workroom.addMember({ name: 'Asker', type: 'agent' }, 'general')
const deaf = await workroom.addMember({ name: 'Deaf', type: 'agent', scopes: ['rooms:read'] }, 'general')
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
const projectId = workspace.stores.projects.find('general')!.id

const raise = async (fields: object, { key } = asker): Promise<string> =>
  (await request('POST', '/api/asks', { key, body: { project: 'general', ...fields } })).json.askId
const step = async (askId: string, name: string, body: object = {}, { key } = owner) => {
  const { status, text } = await request('POST', `/api/asks/${askId}/${name}`, { key, body })
  if (status !== 200) throw new Error(text)
}
const asks = async (actor: { key: string }, since = 0, query = ''): Promise<EventView[]> =>
  (await fetchEvents(workroom, actor, since, query)).events.filter(({ type }) => type === 'ask')

t.test('an event of an ask shows its state at that time, to members of its project only', async (t) => {
  const held = await holdRequest(
    workroom,
    owner,
    await fetchNewestCursor(workroom),
    'wait=10&project=general',
  )
  const askId = await raise({ title: 'Which colour?', body: 'For the door.', options: ['Red', 'Blue'] })
  const common = { type: 'ask', ts: clock.now(), askId, preview: 'Which colour?\n\nFor the door.', projectId }
  const open = { ...common, askState: 'open' }
  t.strictSame((await held.response).events, [open], 'also in a held request')
  await step(askId, 'resolve', { chosenOption: 'Blue', resolution: 'Blue it is.' })
  const expected = [
    open,
    { ...common, askState: 'resolved', chosenOption: 'Blue', resolution: 'Blue it is.' },
  ]
  t.strictSame(await asks(owner), expected)
  t.strictSame(await asks(asker), expected, 'own events, too')
  t.strictSame(await asks(asker, 0, 'project=general'), expected)
  t.strictSame(await asks(owner, 0, 'doc=doc_1'), [])
  t.strictSame(await asks(deaf), [], 'without the scope asks:read')
  t.strictSame(await asks(stranger), [])
})

t.test('every change of an ask’s state is an event, and nothing else is', async (t) => {
  const since = await fetchNewestCursor(workroom)
  const askId = await raise({ title: `@[Asker](${asker.member.id}) 😀` })
  await step(askId, 'claim')
  await step(askId, 'claim')
  await request('PUT', `/api/asks/${askId}/assignees`, { body: { assignees: ['Asker'] } })
  await step(askId, 'release')
  await step(askId, 'cancel')
  await step(askId, 'cancel')
  const events = await asks(asker, since)
  t.strictSame(
    events.map(({ askState }) => askState),
    ['open', 'claimed', 'open', 'cancelled'],
  )
  t.equal(events[0]!.preview, '@Asker 😀', 'mentions are shown by name')
  const long = await raise({ title: 'Long', body: '😀'.repeat(400) })
  const [last] = (await asks(asker, since)).filter(({ askId }) => askId === long)
  t.equal([...String(last!.preview)].length, 280)
})

t.test('the creator of an ask gets its events after leaving the project, and no others', async (t) => {
  const leaver = await workroom.addMember({ name: 'Leaver', type: 'agent' }, 'general')
  const own = await raise({ title: 'Mine' }, leaver)
  await leaveProject(home, projectId, leaver.member.id)
  const since = await fetchNewestCursor(workroom)
  const held = await holdRequest(workroom, leaver, since, 'wait=10')
  const other = await raise({ title: 'Not mine' })
  await step(own, 'claim')
  const states = (events: EventView[]) => events.map(({ askId, askState }) => [askId, askState])
  t.strictSame(states((await held.response).events), [[own, 'claimed']])
  await step(other, 'claim')
  await step(own, 'resolve', { resolution: 'Done.' })
  t.strictSame(states(await asks(leaver)), [
    [own, 'open'],
    [own, 'claimed'],
    [own, 'resolved'],
  ])
  t.equal((await fetchEvents(workroom, leaver, 0, 'project=general')).status, 403)
})

t.test('to a reader that lags, an own ask in an own project is one event', async (t) => {
  const since = await fetchNewestCursor(workroom)
  // More events than one read of the log holds, in a project that the reader is not in.
  const { id } = await workspace.projects.create(workspace.stores.members.authenticate(owner.key)!, {
    name: 'Far',
  })
  const first = await raise({ title: 'First' })
  const caller = workspace.stores.members.authenticate(owner.key)!
  await Promise.all(
    Array.from({ length: 300 }, () =>
      workspace.asks.asks.create(caller, { project: id, title: 'Elsewhere' }),
    ),
  )
  const last = await raise({ title: 'Last' })
  const events = await asks(asker, since)
  t.strictSame(
    events.map(({ askId }) => askId),
    [first, last],
  )
})

t.test('the creator of an ask gets no events of it while its project is deleted', async (t) => {
  const body = { name: 'Gone' }
  const { _id: id } = (await request('POST', '/v1/projects', { body })).json.project
  const since = await fetchNewestCursor(workroom)
  const askId = await raise({ project: id, title: 'Still read?' }, owner)
  const visible = async () => (await asks(owner, since)).map(({ askId }) => askId)
  t.strictSame(await visible(), [askId])
  t.equal((await request('DELETE', '/v1/projects/gone?name=Gone')).status, 200)
  t.strictSame(await visible(), [])
  await request('POST', `/v1/projects/${id}/_restore`)
  t.strictSame(await visible(), [askId])
})
