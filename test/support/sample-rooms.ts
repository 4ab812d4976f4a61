import type { Actor } from './chat.ts'
import { mention } from './chat.ts'
import type { SampleActions } from './sample-actions.ts'
import type { SampleIds, SampleTeam } from './sample-workspace.ts'

const fence = '```'

/** Fills an open room with threads, a closed one, a direct one, and one that Ada has not joined. */
export async function fillRooms(
  { send, sendMessage, advanceMinutes }: SampleActions,
  { ada, grace, linus, mira, scout, reviewer }: SampleTeam,
): Promise<Pick<SampleIds, 'release' | 'founders' | 'direct' | 'lunch' | 'thread'>> {
  const idsOf = (...actors: Actor[]) => actors.map(({ member }) => member.id)
  const room = async (creator: Actor, fields: object): Promise<string> =>
    (await send(creator, 'POST', '/api/rooms', fields))._id
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
  const general = (await send(ada, 'GET', '/api/rooms')).find(
    (one: { name: string }) => one.name === 'general',
  )._id

  for (const actor of [ada, grace, linus, mira, scout])
    await send(actor, 'POST', `/api/rooms/${general}/join`)
  await sendMessage(ada, general, 'Good morning! This is where we work now. 🎉')
  await sendMessage(mira, general, `Morning ${mention(ada)}! The new drawings are in the library.`)
  await sendMessage(scout, general, 'I read the logs of the night: nothing odd.')

  const plan = await sendMessage(
    grace,
    release,
    `Plan for this week, ${mention(linus)} ${mention(mira)}:\n\n1. tides\n2. the map\n3. sleep`,
  )
  await send(grace, 'PUT', `/api/rooms/${release}/pins/${plan}`)
  const thread = await sendMessage(
    linus,
    release,
    'The tide table is fetched **for every request**. Once a day would do.',
  )
  await sendMessage(mira, release, 'Would that not be wrong after midnight?', thread)
  await sendMessage(linus, release, 'It has the next day as well: `table.at(time)` knows.', thread)
  const late = await sendMessage(ada, release, 'Then do it!', thread)
  await send(ada, 'PUT', `/api/rooms/${release}/messages/${late}`, {
    body: 'Then do it. And write it down in [[Architecture]].',
  })
  advanceMinutes(24 * 60)
  await sendMessage(
    linus,
    release,
    `Here it is:\n\n${fence}ts\nlet table: Promise<Table> | null = null\n\nexport const tideAt = async (time: number) => (await (table ??= fetchTable())).at(time)\n${fence}\n\nReview welcome: [[pr:31]] and https://tides.example/rules`,
  )
  await sendMessage(
    reviewer,
    release,
    'Looks good. One question: what if `fetchTable` fails? The promise would be kept for good.',
  )
  await sendMessage(linus, release, '> The promise would be kept for good.\n\nTrue. Fixed.')
  const mistake = await sendMessage(mira, release, 'Wrong room, sorry')
  await send(mira, 'DELETE', `/api/rooms/${release}/messages/${mistake}`)
  for (let n = 1; n <= 12; n++) {
    await sendMessage(
      [ada, grace, linus, mira][n % 4]!,
      release,
      `Check ${n} of 12: ${n % 5 === 0 ? '**failed**, again' : 'done'}.`,
    )
  }
  advanceMinutes(24 * 60)
  await sendMessage(
    mira,
    release,
    `@[channel](__channel__) The map is ready: see [[c:5]]. A very long word: ${'berth'.repeat(30)}`,
  )
  await sendMessage(grace, founders, `${mention(ada)}, shall we tell them about the new pier?`)
  await sendMessage(mira, direct, 'Do you have a minute for the drawings?')
  await sendMessage(ada, direct, 'In ten.')
  const drawings = await send(
    grace,
    'POST',
    `/api/rooms/${founders}/attachments?name=Drawings%20of%20the%20new%20pier.pdf`,
    '%PDF-1.7',
    { headers: { 'Content-Type': 'application/pdf' } },
  )
  await sendMessage(
    grace,
    founders,
    `Have a look before: [Drawings of the new pier.pdf](${drawings.path}) The rules: https://tides.example/rules`,
  )
  return { release, founders, direct, lunch, thread }
}
