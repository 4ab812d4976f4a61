import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { type Actor, openChat } from '../../support/chat.ts'
import { eventually } from '../../support/eventually.ts'
import { type EventView, fetchNewestCursor } from '../../support/live-events.ts'
import fc from '../../support/seeded-properties.ts'

/**
 * Members write, edit, delete, join and leave, while pollers follow with random waits, cut connections and sleep.
 * A model says which rows of the log each poller may see at each moment; pollers must receive exactly those.
 */

const chat = await openChat(t)
const { clock, home, owner } = chat
const tree = '/v1/fs/projects/general'
const projectId = chat.workspace.stores.projects.find('general')!.id
const cast: Actor[] = [
  owner,
  await chat.person('Grace', 'general'),
  await chat.person('Linus', 'general'),
  await chat.agent('Bot'),
]

/** A connection beside the server's, like that of the command line. */
const db = new Sqlite(join(home, '.workroom', 'workroom.db'))
t.teardown(() => db.close())

interface Row {
  tick: number
  type: EventView['type']
  actorId: string
  roomId: string | null
  messageId: string | null
  documentId: string | null
  via: string
  path: string | null
}

const rowsAfter = db.prepare<[number], Row>(`
  SELECT tick, type, actor_id AS actorId, room_id AS roomId, message_id AS messageId, document_id AS documentId, via,
    json_extract(detail, '$.path') AS path
  FROM events WHERE tick > ? ORDER BY tick`)
const joinProject = ({ member }: Actor) =>
  chat.workspace.stores.projects.join(chat.workspace.stores.projects.find('general')!, member, 'member')
const leaveProject = db.prepare<[string]>('DELETE FROM project_members WHERE member_id = ?')

interface Room {
  id: string
  inProject: boolean
  /** Involvement by member. */
  members: Map<Actor, string>
}

interface Message {
  room: Room
  author: Actor
  texts: Set<string>
  isDeleted: boolean
}

/** The state that the model expects. */
interface World {
  rooms: Room[]
  messages: Map<string, Message>
  documents: { path: string; author: Actor }[]
  inProject: Set<Actor>
}

/** The poller has cut the connection itself, or the server is restarting. */
const isDisconnection = (error: unknown) =>
  error instanceof Error &&
  (error.name === 'AbortError' || /ECONNRESET|ECONNREFUSED|socket hang up|server is down/.test(error.message))

class Poller {
  readonly actor: Actor
  readonly ownMessages: boolean
  readonly ownWrites: boolean
  readonly inProjectOnly: boolean
  readonly received: EventView[] = []
  tick: number
  isAwake = true
  private readonly random: () => number
  private cut = new AbortController()
  private running: Promise<void> = Promise.resolve()
  private isEnded = false

  constructor(actor: Actor, choice: number, cursor: number, random: () => number) {
    this.actor = actor
    this.ownMessages = (choice & 1) > 0
    this.ownWrites = (choice & 2) > 0
    this.inProjectOnly = (choice & 4) > 0 && actor.member.name !== 'Bot'
    this.tick = Math.round(cursor * 1000)
    this.random = random
    this.wake()
  }

  wake(): void {
    this.isAwake = true
    this.running = this.run()
  }

  /** Stops polling; a request under way is aborted. */
  async sleep(): Promise<void> {
    this.isAwake = false
    this.cut.abort()
    await this.running
  }

  async end(): Promise<void> {
    this.isEnded = true
    await this.sleep()
  }

  private async run(): Promise<void> {
    while (this.isAwake && !this.isEnded) {
      this.cut = new AbortController()
      const isCut = this.random() < 0.3
      const cutting = isCut ? setTimeout(() => this.cut.abort(), this.random() * 30) : undefined
      try {
        await this.ask(this.random() < 0.3 ? 0 : 25)
      } catch (error) {
        if (!isDisconnection(error)) throw error
        await pause(2)
      } finally {
        clearTimeout(cutting)
      }
    }
  }

  private async ask(wait: number): Promise<void> {
    const query = new URLSearchParams({ since: String(this.tick / 1000), wait: String(wait) })
    if (this.ownMessages) query.set('includeOwn', '1')
    if (this.ownWrites) query.set('self', 'include')
    if (this.inProjectOnly) query.set('project', 'general')
    const { signal } = this.cut
    const { status, json } = await chat.request('GET', `/v1/events?${query}`, { key: this.actor.key, signal })
    // The member is out of the project, or the server is stopping: the poller asks again.
    if (status === 403 || status === 503) return void (await pause(5))
    if (status !== 200) throw new Error(`${status} ${json.error}`)
    this.received.push(...json.events)
    this.tick = Math.round(json.cursor * 1000)
    if (wait === 0) await pause(5)
  }
}

function maySee({ rooms, messages, inProject }: World, poller: Poller, row: Row): boolean {
  const { actor } = poller
  const isOwn = row.actorId === actor.member.id
  const entersProject = inProject.has(actor) || actor === owner
  if (row.type === 'message') {
    const room = rooms.find(({ id }) => id === row.roomId)
    if (!room || messages.get(row.messageId!)!.isDeleted || (isOwn && !poller.ownMessages)) return false
    if (poller.inProjectOnly && !room.inProject) return false
    const involvement = room.members.get(actor)
    const isDelivered = involvement === 'everything' || involvement === 'mentions'
    return isDelivered && (!room.inProject || entersProject)
  }
  return entersProject && (!isOwn || poller.ownWrites || row.via !== 'api')
}

/** Returns what identifies the row of an event, and how much the event shows. */
const summary = (event: EventView) =>
  event.type === 'message'
    ? event.messageId
    : `${event.type} ${event.docId} ${'restricted' in event ? 'restricted' : event.path}`

function expected({ documents }: World, { actor }: Poller, row: Row): string {
  if (row.type === 'message') return row.messageId!
  const isDraft = row.path!.includes('/drafts/')
  const author = documents.find(({ path }) => path === row.path)?.author
  return `${row.type} ${row.documentId} ${isDraft && author !== actor ? 'restricted' : row.path}`
}

/** Waits until every poller that is awake has received all that it may see, and compares. */
async function settled(world: World, pollers: Poller[], since: Map<Poller, [count: number, tick: number]>) {
  for (const poller of pollers) {
    if (!poller.isAwake) continue
    const [count, tick] = since.get(poller)!
    const due = rowsAfter.all(tick).filter((row) => maySee(world, poller, row))
    const wanted = due.map((row) => expected(world, poller, row))
    await eventually(() => poller.received.length - count >= wanted.length).catch(() => {})
    const got = poller.received.slice(count).map(summary)
    if (JSON.stringify(got) !== JSON.stringify(wanted)) {
      throw new Error(
        `${poller.actor.member.name} (${JSON.stringify({ ...poller, received: 0, actor: 0 })}) received\n${got.join('\n')}\nand not\n${wanted.join('\n')}`,
      )
    }
    for (const { messageId, preview } of poller.received.slice(count)) {
      const message = messageId === undefined ? null : world.messages.get(messageId as string)
      if (message && !message.texts.has(preview as string)) throw new Error(`${preview} was never said`)
    }
    since.set(poller, [poller.received.length, poller.tick])
  }
}

const additive = ['post', 'post', 'edit', 'write', 'draft', 'remove document'] as const
const restrictive = [
  'delete',
  'delete',
  'leave',
  'join',
  'involvement',
  'leave project',
  'join project',
  'sleep',
  'sleep',
  'wake',
  'time',
] as const
const deed = fc.record({
  what: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...additive) },
    { weight: 2, arbitrary: fc.constantFrom(...restrictive) },
  ),
  who: fc.nat(),
  where: fc.nat(),
  which: fc.nat(),
})
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never

let written = 0

const isIn = ({ inProject }: World, room: Room, actor: Actor): boolean =>
  room.members.has(actor) && (!room.inProject || inProject.has(actor) || actor === owner)

/** Does a deed, and changes the model accordingly. What is impossible at this moment is skipped. */
async function perform(world: World, pollers: Poller[], { what, who, where, which }: Deed): Promise<void> {
  const actor = cast[who % cast.length]!
  const room = world.rooms[where % world.rooms.length]!
  const isInside = isIn(world, room, actor)
  const poller = pollers[who % pollers.length]!
  const standing = [...world.messages].filter(([, { isDeleted }]) => !isDeleted)
  const [messageId, message] = standing[which % standing.length] ?? []
  const text = `text ${written++}`
  const put = async (path: string) => {
    const { json } = await chat.request('PUT', path, { body: `# Title ${written++}\n`, key: actor.key })
    world.documents.push({ path: json.path, author: actor })
  }
  switch (what) {
    case 'post': {
      if (!isInside) return
      const said = { room, author: actor, texts: new Set([text]), isDeleted: false }
      world.messages.set(await chat.post(actor, room.id, text), said)
      return
    }
    case 'edit':
      if (!message || !isIn(world, message.room, message.author)) return
      message.texts.add(text)
      return chat.edit(message.author, message.room.id, messageId!, text)
    case 'delete':
      if (!message) return
      await chat.remove(message.author, message.room.id, messageId!)
      message.isDeleted = true
      return
    case 'write':
      if (world.inProject.has(actor)) await put(`${tree}/docs/w-${written++}.md`)
      return
    case 'draft':
      if (world.inProject.has(actor)) await put(`${tree}/drafts/d-${written++}.md`)
      return
    case 'remove document': {
      const mine = world.documents.filter(({ author }) => author === actor)
      const document = mine[which % mine.length]
      // A second deletion, or one from outside of the project, is refused and changes nothing.
      if (document) await chat.request('DELETE', document.path, { key: actor.key })
      return
    }
    case 'join':
      if (room.members.has(actor) || (room.inProject && !world.inProject.has(actor) && actor !== owner))
        return
      await chat.join(actor, room.id)
      room.members.set(actor, 'everything')
      return
    case 'leave':
      await chat.leave(actor, room.id)
      room.members.delete(actor)
      return
    case 'involvement': {
      if (!isInside) return
      const involvement = ['everything', 'mentions', 'nothing', 'invisible'][which % 4]!
      await chat.call(actor, 'PUT', `/rooms/${room.id}/involvement`, { involvement })
      room.members.set(actor, involvement)
      return
    }
    case 'leave project':
      if (actor === owner) return
      leaveProject.run(actor.member.id)
      world.inProject.delete(actor)
      return
    case 'join project':
      if (world.inProject.has(actor)) return
      await joinProject(actor)
      world.inProject.add(actor)
      return
    case 'sleep':
      if (poller.isAwake) await poller.sleep()
      return
    case 'wake':
      if (!poller.isAwake) poller.wake()
      return
    case 'time':
      clock.advance(1 + (which % 10_000))
  }
}

const isAdditive = ({ what }: Deed) => (additive as readonly string[]).includes(what)

async function newWorld(): Promise<World> {
  const world: World = { rooms: [], messages: new Map(), documents: [], inProject: new Set(cast) }
  for (const actor of cast) await joinProject(actor)
  for (const inProject of [false, true]) {
    const { _id: id } = await chat.room(owner, inProject ? { projectId } : {})
    const members = new Map([[owner, 'everything']])
    for (const actor of cast.slice(1, 3)) {
      await chat.join(actor, id)
      members.set(actor, 'everything')
    }
    world.rooms.push({ id, inProject, members })
  }
  return world
}

async function play(deeds: Deed[], choices: number[], restartsAt: number | null, seed: number) {
  const world = await newWorld()
  const cursor = await fetchNewestCursor(chat)
  let state = seed >>> 0
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const pollers = choices.map(
    (choice, index) => new Poller(cast[index % cast.length]!, choice, cursor, random),
  )
  const since = new Map(pollers.map((poller) => [poller, [0, poller.tick] as [number, number]]))
  try {
    // Additive deeds run together, and each other deed alone, once everyone has received what came before it.
    let together: Promise<void>[] = []
    for (const [index, deed] of deeds.entries()) {
      if (isAdditive(deed)) {
        together.push(perform(world, pollers, deed))
        if (together.length < 4) continue
      }
      await Promise.all(together)
      together = []
      if (isAdditive(deed)) continue
      await settled(world, pollers, since)
      if (restartsAt !== null && index >= restartsAt) {
        restartsAt = null
        await chat.restart()
      }
      await perform(world, pollers, deed)
    }
    await Promise.all(together)
    for (const poller of pollers) if (!poller.isAwake) poller.wake()
    await settled(world, pollers, since)
  } finally {
    for (const poller of pollers) await poller.end()
  }
}

const deeds = fc.array(deed, { minLength: 15, maxLength: 40 })
const choices = fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 5, maxLength: 5 })

t.test('every poller receives exactly the events that it may see, in order and once', async (t) => {
  const property = fc.asyncProperty(deeds, choices, fc.constant(null), fc.integer(), play)
  await t.resolves(fc.assert(property, { numRuns: 24, seed: 5, endOnFailure: true }))
})

t.test('across a restart every poller receives exactly the events that it may see', async (t) => {
  const restartsAt = fc.integer({ min: 5, max: 10 })
  const property = fc.asyncProperty(deeds, choices, restartsAt, fc.integer(), play)
  await t.resolves(fc.assert(property, { numRuns: 2, seed: 6, endOnFailure: true }))
})
