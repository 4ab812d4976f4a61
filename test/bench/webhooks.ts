import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { databasePath } from '../../data/home.ts'
import { openDatabase } from '../../data/open-database.ts'
import { deliveriesTable } from '../../data/tables/deliveries.ts'
import { membersTable } from '../../data/tables/members.ts'
import { messagesTable } from '../../data/tables/messages.ts'
import { roomMembersTable } from '../../data/tables/room-members.ts'
import { roomsTable } from '../../data/tables/rooms.ts'
import { webhooksTable } from '../../data/tables/webhooks.ts'
import { type BenchWorkspace, docs, withBenchWorkspace } from './bench-workspace.ts'
import { type Bench, median, milliseconds, perSecond, times } from './measured.ts'
import { startLoader } from './processes.ts'
import { prose } from './prose.ts'

const agents = 100
const deliveriesEach = 100
const dueCount = agents * deliveriesEach
/** How much slower the p99 of reads may be while webhooks are sent. */
const boundRatio = 3

const reads = { connections: 8, everyMs: 20, durationMs: 2000 }

/** Sends 10,000 due deliveries while others read. */
export const webhooks: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const loader = startLoader()
    // Two, because one host gets at most eight concurrent calls.
    const receivers = await Promise.all([startCounting(), startCounting()])
    const received = () => receivers.reduce((total, { count }) => total + count(), 0)
    try {
      writeFileSync(join(bench.home, 'workroom.yaml'), 'outbound:\n  allow: [127.0.0.1]\n')
      const room = makeAgents(
        bench,
        receivers.map(({ url }) => url),
      )
      const server = await bench.serve()
      const path = `${docs}/small.md`
      await bench.request(server.port, 'PUT', path, { body: prose('Small', 1024) })
      const headers = bench.authorization
      const read = () =>
        loader.run({ ...reads, port: server.port, method: 'GET', path, headers, status: 200 })
      await read()
      const idle = [await read(), await read(), await read()].map(({ p99Ms }) => p99Ms)

      makeDue(bench, room)
      const begunMs = performance.now()
      // A message makes the server look for due deliveries.
      const body = { body: '@[channel](__channel__)' }
      await bench.request(server.port, 'POST', `/api/rooms/${room.id}/messages`, { body })
      const during: number[] = []
      while (received() < dueCount) during.push((await read()).p99Ms)
      const tookMs = performance.now() - begunMs
      const ratio = median(during) / median(idle)
      return [
        {
          what: `${dueCount.toLocaleString('en')} due webhooks to ${agents} agents are sent`,
          workroom: perSecond((received() * 1000) / tookMs),
          against: '',
          ratio: '',
          target: '',
          isMet: null,
        },
        {
          what: `p99 of small GETs meanwhile (median of ${during.length} rounds; worst ${milliseconds(Math.max(...during))})`,
          workroom: milliseconds(median(during)),
          against: `${milliseconds(median(idle))} idle`,
          ratio: times(ratio),
          target: `≤ ${boundRatio}`,
          isMet: ratio <= boundRatio,
        },
      ]
    } finally {
      for (const { close } of receivers) close()
      await loader.close()
    }
  })

interface Filled {
  id: string
  agentIds: string[]
}

/** Makes a room full of agents with webhooks, before the server starts. */
function makeAgents({ home }: BenchWorkspace, urls: string[]): Filled {
  const database = openDatabase(databasePath(home))
  try {
    const db = database.connection
    const owner = membersTable(db).all()[0]!
    const agentIds = Array.from({ length: agents }, (_, number) => `mem_${String(number).padStart(26, '0')}`)
    const id = 'room_agents'
    database.commitNow(() => {
      roomsTable(db).insert({
        id,
        slug: 'agents',
        name: 'Agents',
        type: 'open',
        description: '',
        projectId: null,
        creatorId: null,
        welcomesPeople: 0,
        createdMs: 0,
      })
      for (const [number, memberId] of agentIds.entries()) {
        const name = `Agent ${number}`
        membersTable(db).insert({
          ...owner,
          id: memberId,
          name,
          type: 'agent',
          role: 'member',
          ownerId: owner.id,
        })
        roomMembersTable(db).add({ roomId: id, memberId, involvement: 'mentions', joinedMs: 0 })
        webhooksTable(db).put({
          memberId,
          url: urls[number % urls.length]!,
          events: ['mention'],
          secret: `whs_${'a'.repeat(43)}`,
          secretCreatedMs: 0,
          previousSecret: null,
          previousUntilMs: null,
          failures: 0,
          failingSinceMs: null,
          scopes: null,
        })
      }
      roomMembersTable(db).add({ roomId: id, memberId: owner.id, involvement: 'everything', joinedMs: 0 })
    })
    return { id, agentIds }
  } finally {
    database.connection.close()
  }
}

/** Makes a delivery due to each agent for each of many messages, as after a network failure. */
function makeDue({ home }: BenchWorkspace, room: Filled): void {
  const database = openDatabase(databasePath(home))
  try {
    const db = database.connection
    const authorId = membersTable(db).all()[0]!.id
    const deliveries = deliveriesTable(db)
    database.commitNow(() => {
      for (let number = 0; number < deliveriesEach; number++) {
        const messageId = `msg_due_${number}`
        const message = {
          id: messageId,
          roomId: room.id,
          threadId: null,
          authorId,
          body: 'Hello',
          sentVia: null,
        }
        messagesTable(db).insert({ ...message, sentMs: number })
        const contentId = deliveries.addContent(Buffer.from(JSON.stringify(message).slice(0, -1)))
        for (const memberId of room.agentIds) {
          deliveries.insert({
            id: `wh_${number}_${memberId}`,
            memberId,
            messageId,
            contentId,
            event: 'mention',
            documentId: null,
            commentId: null,
            askId: null,
            tail: ',"mentions":[]}',
            state: 'pending',
            createdMs: number,
          })
        }
      }
    })
  } finally {
    database.connection.close()
  }
}

/** A receiver that accepts and counts all deliveries. */
async function startCounting() {
  let calls = 0
  const server = createServer((request, response) => {
    calls += 1
    request.resume().on('end', () => response.writeHead(204).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    count: () => calls,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
