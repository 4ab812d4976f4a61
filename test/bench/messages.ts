import { join } from 'node:path'
import { databasePath } from '../../data/home.ts'
import { openDatabase } from '../../data/open-database.ts'
import { membersTable } from '../../data/tables/members.ts'
import { messagesTable } from '../../data/tables/messages.ts'
import { roomMembersTable } from '../../data/tables/room-members.ts'
import { roomsTable } from '../../data/tables/rooms.ts'
import { type BenchWorkspace, withBenchWorkspace } from './bench-workspace.ts'
import {
  comparedLoads,
  compareWithBareKoa,
  interleaveLoads,
  medianRatio,
  type ServerLoad,
  takeTurns,
} from './interleave.ts'
import { type Bench, type BenchRow, perSecond, times } from './measured.ts'
import { startBareKoa, startLoader } from './processes.ts'

const writers = 32
const readers = 8
/** The least rate, as a share of the bare inserts. */
const postTarget = 0.3
/** The least rate in a long room, as a share of that in a short room. */
const pageTarget = 0.8
const lengths = { short: 1_000, long: 100_000 }

const text = 'Somebody has something to say to the others in this room, and it is about as long as this.'

/**
 * Messages sent by many at once. Two upper bounds are compared: bare inserts through the same group commit on
 * the same disk, and bare Koa.
 */
export const post: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const loader = startLoader()
    const koa = await startBareKoa()
    const database = openDatabase(join(bench.home, '..', 'bare.db'))
    try {
      database.connection.exec('CREATE TABLE bare (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT')
      const insert = database.connection.prepare<[string]>('INSERT INTO bare (body) VALUES (?)')
      const commits = async (durationMs: number) => {
        const begunMs = performance.now()
        let count = 0
        const write = async () => {
          for (; performance.now() < begunMs + durationMs; count++)
            await database.commit(() => insert.run(`${text} ${count}`))
        }
        await Promise.all(Array.from({ length: writers }, write))
        return { perSecond: (count * 1000) / (performance.now() - begunMs) }
      }
      const server = await bench.serve()
      const load: ServerLoad = {
        port: server.port,
        pid: server.pid,
        method: 'POST',
        path: '/api/rooms/general/messages',
        headers: { ...bench.authorization, 'Content-Type': 'application/json' },
        body: JSON.stringify({ body: `${text} {n}` }),
        connections: writers,
        status: 201,
      }
      const messages = (durationMs: number) => loader.run({ ...load, durationMs })
      const response = await bench.request(server.port, 'POST', load.path, { body: { body: text } })
      const [ours = [], theirs = []] = await takeTurns([messages, commits])
      const compared = medianRatio(ours, theirs)
      return [
        {
          what: `Messages posted by ${writers} writers, against bare inserts`,
          workroom: perSecond(compared.ours),
          against: perSecond(compared.theirs),
          ratio: times(compared.ratio),
          target: `≥ ${postTarget}`,
          isMet: compared.ratio >= postTarget,
        },
        await compareWithBareKoa(
          { loader, koa },
          { what: `POST of messages, ${writers} writers`, response },
          load,
        ),
      ]
    } finally {
      await loader.close()
      await koa.close()
      await database.close()
    }
  })

/** Compares pages of a long room with those of a short one: the newest, and one half-way back. */
export const page: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const short = fillRoom(bench, 'short', lengths.short)
    const long = fillRoom(bench, 'long', lengths.long)
    const loader = startLoader()
    try {
      const server = await bench.serve()
      const load = (path: string): ServerLoad => ({
        port: server.port,
        pid: server.pid,
        method: 'GET',
        path,
        headers: bench.authorization,
        connections: readers,
        status: 200,
      })
      const lines: BenchRow[] = []
      for (const [which, query] of [
        ['newest', () => ''],
        ['middle', (room: FilledRoom) => `?cursor=${room.middle}`],
      ] as const) {
        const paths = [long, short].map((room) => `/api/rooms/${room.slug}/messages${query(room)}`)
        for (const path of paths) {
          const { json } = await bench.request(server.port, 'GET', path)
          if (json.page.length !== 50) throw new Error(`${path} has ${json.page.length} messages.`)
        }
        const rooms = `of a room of ${lengths.long.toLocaleString('en')} against one of ${lengths.short.toLocaleString('en')}`
        const results = await interleaveLoads(loader, paths.map(load))
        lines.push(comparedLoads(`Page of 50 messages (${which}), ${rooms}`, results, pageTarget))
      }
      return lines
    } finally {
      await loader.close()
    }
  })

interface FilledRoom {
  slug: string
  /** Id of the message half-way back. */
  middle: string
}

/** Makes a room with messages, in one transaction, before the server starts. */
function fillRoom({ home }: BenchWorkspace, slug: string, count: number): FilledRoom {
  const database = openDatabase(databasePath(home))
  try {
    const db = database.connection
    const messages = messagesTable(db)
    const author = membersTable(db).all()[0]!.id
    const room = `room_${slug}`
    const idOf = (number: number) => `msg_${slug}_${number}`
    database.commitNow(() => {
      roomsTable(db).insert({
        id: room,
        slug,
        name: slug,
        type: 'open',
        description: '',
        projectId: null,
        creatorId: null,
        welcomesPeople: 0,
        createdMs: 0,
      })
      roomMembersTable(db).add({ roomId: room, memberId: author, involvement: 'everything', joinedMs: 0 })
      for (let number = 0; number < count; number++) {
        messages.insert({
          id: idOf(number),
          roomId: room,
          threadId: null,
          authorId: author,
          body: `${text} ${number}`,
          sentVia: null,
          sentMs: number,
        })
      }
    })
    return { slug, middle: idOf(count / 2) }
  } finally {
    database.connection.close()
  }
}
