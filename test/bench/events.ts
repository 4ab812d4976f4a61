import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { cursorOf, nextTick } from '../../core/events/cursor.ts'
import { withBenchWorkspace } from './bench-workspace.ts'
import { type Bench, type BenchRow, median, milliseconds, times } from './measured.ts'
import { startHoldingKoa, startWaitingClients } from './processes.ts'
import { processorMs } from './processor-time.ts'
import type { WaitOrder } from './waiting-clients.ts'

const waiters = 1000
/** Waiting requests of one member; at most 16 are allowed. */
const heldByOne = 16
const rounds = 7
const maxRatioToBareKoa = 1.5

const idleMs = 5000
/** Of one core. */
const idleShare = 0.01

/** 1,000 clients wait in a room for one message. Also measures what they cost while nothing happens. */
export const waiting: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const server = await bench.serve()
    const crowd = startWaitingClients()
    const koa = await startHoldingKoa()
    try {
      const send = (method: string, path: string, body?: unknown, key = bench.key) =>
        bench.request(server.port, method, path, { key, ...(body !== undefined && { body }) })
      const [{ _id: room }] = (await send('GET', '/api/rooms')).json
      const keys: string[] = []
      while (keys.length * heldByOne < waiters) {
        const added = await send('POST', '/api/members', { name: `Waiter ${keys.length}`, type: 'human' })
        keys.push(added.json.key)
      }
      const messages = `/api/rooms/${room}/messages`
      const head = async () => (await send('GET', '/v1/events?wait=0')).headers['x-service-events-head']
      const waitOrder = async (waitMs: number): Promise<WaitOrder> => {
        const path = `/v1/events?since=${await head()}&wait=50`
        return {
          port: server.port,
          requests: Array.from({ length: waiters }, (_, index) => ({
            path,
            headers: { Authorization: `Bearer ${keys[index % keys.length]}` },
          })),
          waitMs,
          release: { path: messages, headers: bench.authorization, body: '{"body":"To all who wait"}' },
        }
      }

      const before = await head()
      await send('POST', messages, { body: 'To all who wait' })
      const response = await send('GET', `/v1/events?since=${before}&wait=0`, undefined, keys[0])
      await koa.answer(response.text)

      const ours: number[] = []
      const theirs: number[] = []
      for (let round = 0; round <= rounds; round++) {
        const order = await waitOrder(1000)
        const our = await crowd.gather(order)
        const their = await crowd.gather({ ...order, port: koa.port })
        // The first round is a warm-up.
        if (round === 0) continue
        ours.push(our.lastMs)
        theirs.push(their.lastMs)
      }
      const ratio = median(ours.map((ms, round) => ms / theirs[round]!))

      const released = crowd.gather(await waitOrder(idleMs + 3000))
      await pause(2000)
      const usedBefore = processorMs(server.pid)
      await pause(idleMs)
      const share = (processorMs(server.pid) - usedBefore) / idleMs
      await released
      return [
        {
          what: 'One message to 1,000 held requests: from the 201 to the last response',
          workroom: milliseconds(median(ours)),
          against: milliseconds(median(theirs)),
          ratio: times(ratio),
          target: `≤ ${maxRatioToBareKoa}`,
          isMet: ratio <= maxRatioToBareKoa,
        },
        {
          what: '1,000 held requests while nothing happens: share of a core',
          workroom: `${(share * 100).toFixed(2)} %`,
          against: `${idleShare * 100} %`,
          ratio: times(share / idleShare),
          target: '≤ 1',
          isMet: share <= idleShare,
        },
      ]
    } finally {
      await crowd.close()
      await koa.close()
    }
  })

const logLength = 1_000_000
const roomCount = 400
const joinedCount = 200
const behindMs = 20

/** A reader of half of 400 rooms, far behind in a log of a million events. */
export const behind: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const firstTime = await bench.serve()
    const added = await bench.request(firstTime.port, 'POST', '/api/members', {
      body: { name: 'Reader', type: 'human' },
    })
    await firstTime.close()
    const ticks = fillLog(bench.home, added.json.member._id)
    const server = await bench.serve()
    const readFrom = async (tick: number) => {
      const begunMs = performance.now()
      const response = await bench.request(server.port, 'GET', `/v1/events?since=${cursorOf(tick)}&wait=0`, {
        key: added.json.key,
      })
      const tookMs = performance.now() - begunMs
      if (response.json.events.length !== 100) throw new Error(`${response.json.events.length} events`)
      return tookMs
    }
    // Opens the connection and has the server compile its code.
    await bench.request(server.port, 'GET', '/api/rooms', { key: added.json.key })
    const first = await readFrom(ticks[0]!)
    const later = []
    for (const tick of ticks.slice(1)) later.push(await readFrom(tick))
    const line = (what: string, ms: number): BenchRow => ({
      what,
      workroom: milliseconds(ms),
      against: `${behindMs} ms`,
      ratio: times(ms / behindMs),
      target: '≤ 1',
      isMet: ms <= behindMs,
    })
    return [
      line('Events from far back, log of 1,000,000, 200 rooms: first answer of a server', first),
      line('The same, at other places of the log', median(later)),
    ]
  })

/** Writes a million messages into 400 rooms, of which the member is in half. @returns ten ticks in the log */
function fillLog(home: string, memberId: string): number[] {
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'))
  const ticks: number[] = []
  db.transaction(() => {
    const owner = db.prepare<[], string>("SELECT id FROM members WHERE role = 'owner'").pluck().get()!
    const addRoom = db.prepare(
      "INSERT INTO rooms (id, slug, name, type, created_ms) VALUES (?, ?, ?, 'open', 1)",
    )
    const join = db.prepare(
      "INSERT INTO room_members (room_id, member_id, involvement, joined_ms) VALUES (?, ?, 'everything', 1)",
    )
    const addMessage = db.prepare(
      'INSERT INTO messages (id, room_id, author_id, body, sent_ms) VALUES (?, ?, ?, ?, 1)',
    )
    for (let n = 0; n < roomCount; n++) {
      addRoom.run(`room_${n}`, `room-${n}`, `Room ${n}`)
      if (n < joinedCount) join.run(`room_${n}`, memberId)
      for (let m = 0; m < 10; m++)
        addMessage.run(`msg_${n}_${m}`, `room_${n}`, owner, `Message ${m} of room ${n}`)
    }
    const addEvent = db.prepare(`
      INSERT INTO events (tick, type, at_ms, actor_id, room_id, message_id, via, detail)
      VALUES (?, 'message', 1, ?, ?, ?, 'api', '{}')`)
    let tick = 0
    for (let n = 0; n < logLength; n++) {
      // Each room gets an even share, in an order that repeats late.
      const room = (n * 149) % roomCount
      tick = nextTick(tick, 1_000_000 + n)
      addEvent.run(tick, owner, `room_${room}`, `msg_${room}_${n % 10}`)
      if (n % (logLength / 10) === 0) ticks.push(tick)
    }
    db.prepare('UPDATE event_clock SET last_tick = max(last_tick, ?)').run(tick)
  })()
  db.close()
  return ticks
}
