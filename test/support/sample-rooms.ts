import type { Actor } from './chat.ts'
import { mention } from './chat.ts'
import type { SampleActions } from './sample-actions.ts'
import type { SampleIds, SampleTeam } from './sample-workspace.ts'

const fence = '```'

/** Fills an open room with threads, a closed one, a direct one, and one that Ada has not joined. */
export async function fillRooms(
  { call, say, later }: SampleActions,
  { ada, grace, linus, mira, scout, reviewer }: SampleTeam,
): Promise<Pick<SampleIds, 'release' | 'founders' | 'direct' | 'lunch' | 'thread'>> {
  const idsOf = (...actors: Actor[]) => actors.map(({ member }) => member.id)
  const room = async (creator: Actor, fields: object): Promise<string> =>
    (await call(creator, 'POST', '/api/rooms', fields))._id
  const release = await room(grace, {
    name: 'Release 2.4',
    type: 'open',
    description: 'What is in, what is not, and when',
    projectId: 'harbour',
    members: idsOf(ada, linus, mira, scout, reviewer),
  })
  const founders = await room(ada, { name: 'Founders', type: 'closed', members: idsOf(grace) })
  const direct = await room(mira, { name: 'Mira and Ada', type: 'direct', members: idsOf(ada) })
  const lunch = await room(linus, { name: 'Lunch', type: 'open', description: 'Who is hungry?' })
  const general = (await call(ada, 'GET', '/api/rooms')).find(
    (one: { name: string }) => one.name === 'general',
  )._id

  for (const actor of [ada, grace, linus, mira, scout])
    await call(actor, 'POST', `/api/rooms/${general}/join`)
  await say(ada, general, 'Good morning! This is where we work now. 🎉')
  await say(mira, general, `Morning ${mention(ada)}! The new drawings are in the library.`)
  await say(scout, general, 'I read the logs of the night: nothing odd.')

  const plan = await say(
    grace,
    release,
    `Plan for this week, ${mention(linus)} ${mention(mira)}:\n\n1. tides\n2. the map\n3. sleep`,
  )
  await call(grace, 'PUT', `/api/rooms/${release}/pins/${plan}`)
  const thread = await say(
    linus,
    release,
    'The tide table is fetched **for every request**. Once a day would do.',
  )
  await say(mira, release, 'Would that not be wrong after midnight?', thread)
  await say(linus, release, 'It has the next day as well: `table.at(time)` knows.', thread)
  const late = await say(ada, release, 'Then do it!', thread)
  await call(ada, 'PUT', `/api/rooms/${release}/messages/${late}`, {
    body: 'Then do it. And write it down in [[Architecture]].',
  })
  later(24 * 60)
  await say(
    linus,
    release,
    `Here it is:\n\n${fence}ts\nlet table: Promise<Table> | null = null\n\nexport const tideAt = async (time: number) => (await (table ??= fetchTable())).at(time)\n${fence}\n\nReview welcome: [[pr:31]] and https://tides.example/rules`,
  )
  await say(
    reviewer,
    release,
    'Looks good. One question: what if `fetchTable` fails? The promise would be kept for good.',
  )
  await say(linus, release, '> The promise would be kept for good.\n\nTrue. Fixed.')
  const mistake = await say(mira, release, 'Wrong room, sorry')
  await call(mira, 'DELETE', `/api/rooms/${release}/messages/${mistake}`)
  for (let n = 1; n <= 12; n++) {
    await say(
      [ada, grace, linus, mira][n % 4]!,
      release,
      `Check ${n} of 12: ${n % 5 === 0 ? '**failed**, again' : 'done'}.`,
    )
  }
  later(24 * 60)
  await say(
    mira,
    release,
    `@[channel](__channel__) The map is ready: see [[c:5]]. A very long word: ${'berth'.repeat(30)}`,
  )
  await say(grace, founders, `${mention(ada)}, shall we tell them about the new pier?`)
  await say(mira, direct, 'Do you have a minute for the drawings?')
  await say(ada, direct, 'In ten.')
  const drawings = await call(
    grace,
    'POST',
    `/api/rooms/${founders}/attachments?name=Drawings%20of%20the%20new%20pier.pdf`,
    '%PDF-1.7',
    { headers: { 'Content-Type': 'application/pdf' } },
  )
  await say(
    grace,
    founders,
    `Have a look before: [Drawings of the new pier.pdf](${drawings.path}) The rules: https://tides.example/rules`,
  )
  return { release, founders, direct, lunch, thread }
}
