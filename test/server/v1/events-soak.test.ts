import { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { queryObjects } from 'node:v8'
import t from 'tap'
import type { Caller } from '../../../core/access/member.ts'
import { type Actor, openChat } from '../../support/chat.ts'
import { eventually } from '../../support/eventually.ts'
import { fetchNewestCursor } from '../../support/live-events.ts'
import { seededRandom } from '../../support/seeded-random.ts'

const followersOfAMember = 10
const membersOfARoom = 2
const roomCount = 50
/** Virtual seconds; each writer sends one message in each. */
const seconds = 24
/** How often, in seconds, one of them writes to everyone. */
const everybodyEvery = 8

const chat = await openChat(t)
const { clock, owner } = chat
const callerOf = ({ key }: Pick<Actor, 'key'>): Caller => chat.workspace.stores.members.authenticate(key)!

const random = seededRandom('soak')
const oneOf = <T>(choices: readonly T[]): T => choices[random(2)[0]! % choices.length]!

/** Follows a member's events until it is stopped, and asks again after each answer and each failure. */
class Follower {
  readonly received: string[] = []
  readonly roomId: string
  asked = 0
  private readonly key: string
  private cursor: number
  private readonly end = new AbortController()

  constructor({ key }: Actor, roomId: string, cursor: number) {
    this.key = key
    this.roomId = roomId
    this.cursor = cursor
  }

  async run(): Promise<void> {
    while (!this.end.signal.aborted) {
      const path = `/v1/events?since=${this.cursor}`
      const asking = () => chat.request('GET', path, { key: this.key, signal: this.end.signal })
      // The server is restarting, or this follower was stopped.
      const response = await Promise.resolve()
        .then(asking)
        .catch(() => null)
      if (response) this.asked += 1
      if (response?.status === 200) {
        this.received.push(...response.json.events.map(({ messageId }: { messageId: string }) => messageId))
        this.cursor = response.json.cursor
      } else await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }

  stop(): void {
    this.end.abort()
  }
}

t.test(
  '1,000 held requests get each message of 3 writers once, across a restart, and nothing accumulates',
  async (t) => {
    const adding = (names: string[]) => Promise.all(names.map((name) => chat.person(name)))
    const writers = await adding(['Writer 1', 'Writer 2', 'Writer 3'])
    const members = await adding(Array.from({ length: roomCount * membersOfARoom }, (_, n) => `Member ${n}`))
    const hall = (
      await chat.room(owner, { members: [...members, ...writers].map(({ member }) => member.id) })
    )._id
    const rooms = await Promise.all(
      Array.from({ length: roomCount }, async (_, n) => {
        const inside = [...members.slice(n * membersOfARoom, (n + 1) * membersOfARoom), ...writers]
        return (await chat.room(owner, { members: inside.map(({ member }) => member.id) }))._id
      }),
    )
    const cursor = await fetchNewestCursor(chat)
    const followers = members.flatMap((member, index) =>
      Array.from(
        { length: followersOfAMember },
        () => new Follower(member, rooms[Math.floor(index / membersOfARoom)]!, cursor),
      ),
    )
    t.equal(followers.length, 1000)

    const held = () => chat.workspace.events.live.waiterCount
    const quiet = clock.timerCount
    const responsesBefore = queryObjects(ServerResponse, { format: 'count' })
    const socketsBefore = queryObjects(Socket, { format: 'count' })
    const allHeld = () => eventually(() => held() >= followers.length)
    const running: Promise<void>[] = []
    // A listening socket accepts only so many connections at once.
    for (let n = 0; n < followers.length; n += 100) {
      running.push(...followers.slice(n, n + 100).map((follower) => follower.run()))
      await eventually(() => held() >= n + 100)
    }

    const said: { roomId: string; id: string }[] = []
    const say = async (second: number) => {
      const {
        rooms: { messages },
      } = chat.workspace
      await Promise.all(
        writers.map(async (writer, n) => {
          const roomId = n === 0 && second % everybodyEvery === 0 ? hall : oneOf(rooms)
          const { messageId } = await messages.post(callerOf(writer), roomId, { body: `Second ${second}` })
          said.push({ roomId, id: messageId })
        }),
      )
    }
    for (let second = 1; second <= seconds; second++) {
      await say(second)
      await allHeld()
      clock.advance(1000)
      if (second === seconds / 2) await chat.restart()
      // The log of a test keeps every line.
      chat.log.lines.length = 0
      await allHeld()
    }
    // Counting collects garbage first. A socket has two ends in this process.
    const responses = queryObjects(ServerResponse, { format: 'count' }) - responsesBefore
    t.ok(responses < 1.1 * followers.length, `${responses} responses are in memory`)
    const sockets = queryObjects(Socket, { format: 'count' }) - socketsBefore
    t.ok(sockets < 2.2 * followers.length, `${sockets} sockets are in memory`)

    const dueTo = ({ roomId }: Follower) =>
      said.filter((message) => message.roomId === roomId || message.roomId === hall)
    // An answer with the last messages may still be on its way.
    await eventually(() => followers.every((follower) => follower.received.length >= dueTo(follower).length))
    for (const follower of followers) follower.stop()
    await Promise.all(running)
    // The workspace has a few timers of its own; of the thousand requests none may be left.
    await eventually(() => held() === 0 && clock.timerCount < quiet + 10)
    const wrong = followers.filter((follower) => {
      const due = dueTo(follower)
      const { received } = follower
      return received.length !== due.length || due.some(({ id }) => !received.includes(id))
    })
    t.equal(wrong.length, 0, 'everyone has received all of theirs, once')
    const asked = followers.reduce((sum, follower) => sum + follower.asked, 0)
    t.ok(asked < 12 * followers.length, `${asked} requests`)
  },
)
