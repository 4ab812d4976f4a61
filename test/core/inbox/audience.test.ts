import t from 'tap'
import { projectAudience } from '../../../core/inbox/audience.ts'
import { OnlinePresence } from '../../../core/members/online-presence.ts'
import { freshDirectories } from '../open-directories.ts'

const { members, projects, clock, owner: ada } = await freshDirectories(t)
const add = async (name: string, type: 'human' | 'agent') => (await members.add({ name, type })).member
const grace = await add('Grace', 'human')
const scout = await add('Scout', 'agent')
const outsider = await add('Outsider', 'human')
const stray = await add('Stray', 'agent')
const gone = await add('Gone', 'human')
const project = await projects.add({ name: 'General', lead: ada })
for (const member of [grace, scout, gone]) await projects.join(project, member, 'member')
await members.setStatus(gone.id, 'deactivated')

const presence = new OnlinePresence(clock)
const reached = (...mentioned: string[]) =>
  projectAudience(mentioned, project, ada.id, { members, projects, presence }).sort()
const ids = (...these: { id: string }[]) => these.map(({ id }) => id).sort()

t.test('a mention by id notifies any person, and agents of the project', async (t) => {
  t.same(reached(grace.id), ids(grace))
  t.same(reached(scout.id), ids(scout))
  t.same(reached(outsider.id), ids(outsider))
  t.same(reached(stray.id), [])
})

t.test('authors are never notified of their own mention, by whatever name', async (t) => {
  t.same(reached(ada.id), [])
  t.notOk(reached('__everyone__').includes(ada.id))
  t.notOk(reached('__channel__').includes(ada.id))
})

t.test('@channel notifies the project, and @everyone every active member who may be notified', async (t) => {
  t.same(reached('__channel__'), ids(grace, scout))
  t.same(reached('__everyone__'), ids(grace, scout, outsider))
})

t.test('@here notifies the project’s members who were active in the last 90 seconds', async (t) => {
  t.same(reached('__here__'), [])
  for (const { id } of [grace, scout, outsider, ada]) presence.beat(id)
  t.same(reached('__here__'), ids(grace, scout))
  clock.nowMs += 89_999
  t.same(reached('__here__'), ids(grace, scout))
  clock.nowMs += 1
  t.same(reached('__here__'), [])
})

t.test('nobody is notified twice, and no inactive or unknown member is notified', async (t) => {
  t.same(reached(grace.id, grace.id, '__channel__', '__everyone__', outsider.id), ids(grace, scout, outsider))
  t.same(reached(gone.id), [])
  t.same(reached('mem_nobody', '__nobody__'), [])
  t.same(reached(), [])
})
