import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { defaultConfig } from '../../core/config.ts'
import type { Actor } from './chat.ts'
import { type SampleActions, sampleActions } from './sample-actions.ts'
import { agentUrls, sampleNetwork } from './sample-network.ts'
import { fillProject } from './sample-project.ts'
import { fillRooms } from './sample-rooms.ts'
import { ScriptlessBrowser } from './scriptless-browser.ts'
import { TestClock } from './test-clock.ts'
import { startWorkroom, type Workroom } from './workroom.ts'

export interface SamplePeople {
  ada: Actor
  grace: Actor
  linus: Actor
  mira: Actor
  /** Has just joined. */
  nora: Actor
  scout: Actor
  reviewer: Actor
}

/** The members who have worked for a week. */
export type SampleTeam = Omit<SamplePeople, 'nora'>

export interface SampleIds {
  release: string
  founders: string
  direct: string
  lunch: string
  thread: string
  post: string
  postPath: string
  document: string
  oldRevision: string
  openQuestion: string
  openWork: string
}

/** A workspace in which a team has worked for a week; it is the same in every run. */
export interface Sample extends Workroom {
  people: SamplePeople
  ids: SampleIds
}

/** Monday morning; the filled sample ends on Thursday afternoon. */
const beginMs = Date.UTC(2026, 5, 15, 8)
const endMs = Date.UTC(2026, 5, 18, 15, 30)
const lastJoinedMs = Date.UTC(2026, 5, 18, 14, 50)

export async function openSample(t: Test): Promise<Sample> {
  const roots = join(t.testdirName, 'code')
  const workroom = await startWorkroom(t, {
    owner: 'Ada Lovelace',
    clock: new TestClock(beginMs),
    config: { ...defaultConfig, repositories: { roots: [roots] } },
    prepare: () => void mkdirSync(roots),
    faults: { outbound: sampleNetwork },
  })
  const actions = sampleActions(workroom)
  const team = await addPeople(workroom, actions)
  const rooms = await fillRooms(actions, team)
  const project = await fillProject(workroom, actions, team, join(roots, 'app.git'))
  await addAdministration(workroom, actions, team)
  workroom.clock.set(lastJoinedMs)
  const nora = await workroom.addMember({ name: 'Nora Lind', type: 'human' }, 'general', 'harbour')
  workroom.clock.set(endMs)
  const people = { ...team, nora }
  // Copies descriptors, because the getters return new values after a restart.
  const sample = Object.defineProperties(
    { people, ids: { ...rooms, ...project } },
    Object.getOwnPropertyDescriptors(workroom),
  ) as Sample
  await addPresence(sample)
  return sample
}

async function addPeople({ owner, addMember }: Workroom, { send }: SampleActions): Promise<SampleTeam> {
  const ada = owner
  await send(ada, 'POST', '/v1/fs/projects', { name: 'Harbour' })
  const grace = await addMember({ name: 'Grace Hopper', type: 'human', role: 'admin' }, 'general', 'harbour')
  const linus = await addMember({ name: 'Linus Berg', type: 'human' }, 'general', 'harbour')
  const mira = await addMember({ name: 'Mira Okafor', type: 'human' }, 'general', 'harbour')
  const ownerId = grace.member.id
  const scout = await addMember({ name: 'Scout', type: 'agent', ownerId }, 'general', 'harbour')
  const reviewer = await addMember({ name: 'Reviewer', type: 'agent', ownerId }, 'harbour')
  const former = await addMember({ name: 'Tom Former', type: 'human' }, 'general')
  const describe = (who: Actor, fields: object) => send(ada, 'PATCH', `/api/members/${who.member.id}`, fields)
  await describe(ada, { statusText: 'Writing the first program', email: 'ada@harbour.example' })
  await describe(grace, { statusText: 'On call', description: 'Runs the harbour app. Ask me about tides.' })
  await describe(mira, { statusText: 'In Lagos until Monday', description: 'Design.' })
  await describe(scout, { description: 'Reads logs, and says what is odd in them.' })
  await describe(reviewer, { description: 'Looks at pull requests.' })
  await describe(former, { status: 'deactivated' })
  return { ada, grace, linus, mira, scout, reviewer }
}

async function addAdministration(
  workroom: Workroom,
  { send, advanceMinutes }: SampleActions,
  { ada, grace, reviewer, scout }: SampleTeam,
): Promise<void> {
  await send(ada, 'POST', '/api/invites', { role: 'member', type: 'human', uses: 3 })
  await send(grace, 'POST', '/api/invites', { role: 'member', type: 'agent' })
  await send(ada, 'POST', `/api/members/${ada.member.id}/keys`, { label: 'Laptop' })
  await send(ada, 'POST', `/api/members/${scout.member.id}/keys`, {
    label: 'Staging',
    scopes: ['rooms:read'],
  })
  for (const device of [
    'Mozilla/5.0 (X11; Linux) Firefox/140.0',
    'Mozilla/5.0 (iPhone) Version/18.0 Safari/605.1',
  ]) {
    await new ScriptlessBrowser(workroom, device).signIn(ada.key)
  }
  await send(ada, 'PUT', `/api/members/${scout.member.id}/webhook`, { url: agentUrls.scout })
  await send(ada, 'PUT', `/api/members/${reviewer.member.id}/webhook`, { url: agentUrls.reviewer })
  const rooms = (await send(ada, 'GET', '/api/rooms?all=1')) as { _id: string; name: string }[]
  const room = rooms.find(({ name }) => name === 'Release 2.4')!._id
  const mentions = [scout, reviewer].map(({ member }) => `@[${member.name}](${member.id})`)
  await send(grace, 'POST', `/api/rooms/${room}/messages`, {
    body: `${mentions.join(' and ')}: is all well?`,
  })
  const deliveries = async () =>
    (await send(ada, 'GET', `/api/members/${reviewer.member.id}/webhook/deliveries`)).deliveries
  // Waits for five attempts, which all fail.
  for (let attempt = 1; attempt <= 5; attempt++) {
    await workroom.eventually(async () => {
      const [delivery] = await deliveries()
      return delivery.attempts >= attempt && delivery.lastError !== 'no_outcome'
    })
    if (attempt < 5) advanceMinutes([0.5, 5, 30, 120][attempt - 1]!)
  }
}

/** Puts two members into a room and two into a document for 90 seconds of the sample's time. */
export async function addPresence(sample: Sample): Promise<void> {
  const { send } = sampleActions(sample)
  const { mira, scout } = sample.people
  const document = '/v1/fs/projects/harbour/docs/onboarding.md'
  await send(mira, 'POST', '/api/presence', { roomId: sample.ids.release, client: 'web' })
  await send(scout, 'POST', `/api/rooms/${sample.ids.release}/typing`, { ttlSeconds: 120 })
  await send(mira, 'POST', `${document}/_presence?kind=editing`)
  await send(scout, 'POST', `${document}/_presence?kind=viewing`)
}
