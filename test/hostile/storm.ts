import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { revisionOf } from '../../core/revisions/revision.ts'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { programModule } from '../../data/program.ts'
import { type Served, serve } from '../bench/processes.ts'
import { request } from '../support/http-client.ts'
import type { Campaign, CampaignRun } from './campaign.ts'
import type { Group, ToReaders, Waits } from './storm-readers.ts'

const docs = '/v1/fs/projects/general/docs'

/** The folders below `stock`, with the numbers of their documents and subfolders. */
const shelves = [
  { name: 'a', documents: 1000, folders: 1 },
  { name: 'b', documents: 1000, folders: 10 },
  { name: 'c', documents: 3000, folders: 30 },
]
/** The longest allowed wait of a small GET during a storm. */
const boundMs = 250
/** How long the server may take to ingest a storm on a busy machine. */
const timeoutMs = 180_000

const groups: Group[] = [
  { name: 'GET', method: 'GET', path: `${docs}/small.md`, connections: 14, everyMs: 100, statuses: [200] },
  { name: 'healthz', method: 'GET', path: '/healthz', connections: 4, everyMs: 50, statuses: [200] },
  {
    name: 'search',
    method: 'GET',
    path: '/v1/search?q=sheet',
    connections: 1,
    everyMs: 300,
    statuses: [200],
  },
  { name: 'list', method: 'GET', path: docs, connections: 1, everyMs: 1000, statuses: [200] },
  {
    name: 'PUT',
    method: 'PUT',
    path: `${docs}/written.md`,
    body: '# Written\n\nTake {n}.\n',
    connections: 2,
    everyMs: 250,
    statuses: [201],
  },
]

interface Sheet {
  /** Its path in the folder `stock`. */
  path: string
  revision: string
}

/** The documents as they must be when the server has ingested everything. */
class DocumentSet {
  readonly documents: string
  folder = 'stock'
  readonly sheets: Sheet[] = []

  constructor(home: string) {
    this.documents = join(home, 'projects/general/documents')
  }

  fill(): void {
    for (const { name, documents, folders } of shelves) {
      for (let n = 0; n < documents; n++) {
        const folder = folders === 1 ? name : `${name}/${n % folders}`
        const path = `${folder}/sheet-${this.sheets.length}.md`
        this.sheets.push({ path, revision: '' })
        mkdirSync(dirname(this.at(path)), { recursive: true })
        this.write(this.sheets.length - 1, 'branch one')
      }
    }
  }

  at(path: string): string {
    return join(this.documents, this.folder, path)
  }

  /** Replaces a document as git does, by another file with the same name. */
  write(index: number, branch: string): void {
    const text = `# Sheet ${index}\n\nOn ${branch}.\n`
    const sheet = this.sheets[index]!
    rmSync(this.at(sheet.path), { force: true })
    writeFileSync(this.at(sheet.path), text)
    sheet.revision = revisionOf(Buffer.from(text))
  }

  pathOf({ path }: Sheet): string {
    return `documents/${this.folder}/${path}`
  }

  swap(one: string, other: string): void {
    const aside = join(this.documents, '..', '..', '..', 'aside')
    renameSync(this.at(one), aside)
    renameSync(this.at(other), this.at(one))
    renameSync(aside, this.at(other))
    for (const sheet of this.sheets) {
      const [shelf, ...rest] = sheet.path.split('/')
      if (shelf === one) sheet.path = [other, ...rest].join('/')
      else if (shelf === other) sheet.path = [one, ...rest].join('/')
    }
  }

  moveAll(to: string): void {
    renameSync(join(this.documents, this.folder), join(this.documents, to))
    this.folder = to
  }
}

/** The rows of the database, read by a connection of its own. */
class Records {
  private readonly db: Sqlite.Database
  private tick = 0

  constructor(home: string) {
    this.db = new Sqlite(join(home, '.workroom/workroom.db'), { readonly: true })
  }

  byPath(): Map<string, { id: string; revision: string }> {
    const rows = this.db
      .prepare<[], { id: string; path: string; revision: string }>(
        "SELECT id, path, revision FROM documents WHERE deleted_ms IS NULL AND path LIKE '%/sheet-%'",
      )
      .all()
    return new Map(rows.map(({ path, ...row }) => [path, row]))
  }

  /** The number of events of each type and document since the last call. */
  newEvents(): { documentId: string; type: string; count: number }[] {
    const last = this.db.prepare<[], number>('SELECT max(tick) FROM events').pluck().get() ?? 0
    const rows = this.db
      .prepare<[number, number], { documentId: string; type: string; count: number }>(`
        SELECT document_id AS documentId, type, count(*) AS count FROM events
        WHERE tick > ? AND tick <= ? AND document_id IS NOT NULL GROUP BY document_id, type`)
      .all(this.tick, last)
    this.tick = last
    return rows
  }

  close(): void {
    this.db.close()
  }
}

/** Moves or writes documents; `maxEvents` is the allowed number of events for each document. */
type Storm = (
  run: CampaignRun,
  stock: DocumentSet,
  turn: number,
) => Promise<{ what: string; maxEvents: number }>

const storms: Storm[] = [
  async function awayAndBack(run, stock) {
    const times = 20 + run.below(40)
    const aside = join(stock.documents, run.pick(['aside', '../../../aside']))
    const shelf = stock.at(run.pick(['a', 'b']))
    const maxPauseMs = run.pick([1, 20, 100])
    for (let count = 0; count < times; count++) {
      renameSync(shelf, aside)
      await pause(run.below(maxPauseMs))
      renameSync(aside, shelf)
      await pause(run.below(maxPauseMs))
    }
    return { what: `a folder away and back ${times} times`, maxEvents: 2 * times }
  },
  async function swaps(run, stock) {
    const times = 1 + run.below(20)
    for (let count = 0; count < times; count++) {
      stock.swap('a', 'b')
      await pause(run.below(50))
    }
    return { what: `two folders changed places ${times} times`, maxEvents: times }
  },
  async function oneMove(_run, stock, turn) {
    stock.moveAll(`stock-${turn}`)
    return { what: 'one move of all', maxEvents: 1 }
  },
  async function checkout(_run, stock, turn) {
    for (const index of stock.sheets.keys()) stock.write(index, `branch ${turn}`)
    return { what: 'a checkout of all', maxEvents: 1 }
  },
]

export const storm: Campaign = {
  name: 'storm',
  about:
    'folders of 5,000 documents move, swap and are checked out while twenty read: ids stay, nobody waits',
  minutes: 5,
  async attack(run) {
    const home = join(run.folder, 'home')
    const { key } = await createWorkspace({ home, name: 'Storm', owner: 'Ada' })
    const stock = new DocumentSet(home)
    stock.fill()
    const server = await serve(home)
    const records = new Records(home)
    const readers = fork(fileURLToPath(programModule('test/hostile/storm-readers-process.ts')))
    try {
      await prepare(server, key)
      const watch = new StormMonitor({ run, stock, records, readers })
      await watch.begin()
      const headers = { Authorization: `Bearer ${key}` }
      readers.send({ port: server.port, headers, groups } satisfies ToReaders)
      await pause(2000)
      await watch.waits()
      for (let turn = 1; !run.isOver(); turn++) await watch.runStorm(storms[run.below(storms.length)]!, turn)
    } finally {
      readers.kill('SIGKILL')
      records.close()
      await server.close()
    }
  },
}

async function prepare(server: Served, key: string): Promise<void> {
  for (const title of ['Small', 'Written']) {
    const path = `${docs}/${title.toLowerCase()}.md`
    const response = await request(`http://127.0.0.1:${server.port}`, 'PUT', path, {
      key,
      body: `# ${title}\n\nText.\n`,
    })
    if (response.status !== 201) throw new Error(`PUT ${path}: ${response.status} ${response.text}`)
  }
}

/** Runs storms and compares the results with the promises. */
class StormMonitor {
  private readonly run: CampaignRun
  private readonly stock: DocumentSet
  private readonly records: Records
  private readonly readers: ChildProcess
  private readonly maxWaits = new Map<string, number>()
  private maxIngestMs = 0
  private ids: string[] = []

  constructor(deps: { run: CampaignRun; stock: DocumentSet; records: Records; readers: ChildProcess }) {
    this.run = deps.run
    this.stock = deps.stock
    this.records = deps.records
    this.readers = deps.readers
  }

  async begin(): Promise<void> {
    const found = await this.waitUntilIngested()
    this.ids = this.stock.sheets.map((sheet) => found.get(this.stock.pathOf(sheet))!.id)
    this.records.newEvents()
  }

  async runStorm(storm: Storm, turn: number): Promise<void> {
    const { run, records, stock } = this
    const startedMs = performance.now()
    const { what, maxEvents } = await storm(run, stock, turn)
    const found = await this.waitUntilIngested()
    const ingestMs = performance.now() - startedMs
    run.tried()
    this.maxIngestMs = Math.max(this.maxIngestMs, ingestMs)
    run.figure('longest until all was taken in', `${(this.maxIngestMs / 1000).toFixed(1)} s`)
    const changed = stock.sheets.filter((sheet, n) => found.get(stock.pathOf(sheet))?.id !== this.ids[n])
    if (changed.length > 0) run.failed(`${what}: ${changed.length} documents are not what they were`)
    const own = new Set(this.ids)
    const events = records.newEvents().filter(({ documentId }) => own.has(documentId))
    const deleted = events.filter(({ type }) => type === 'doc.delete').length
    if (deleted > 0) run.failed(`${what}: ${deleted} documents were deleted`)
    const tooMany = events.filter(({ count }) => count > maxEvents).length
    if (tooMany > 0) run.failed(`${what}: ${tooMany} documents have more than ${maxEvents} events`)
    const waits = await this.waits()
    process.stderr.write(
      `${what}: ${Math.round(ingestMs)} ms; ${waits.map(({ name, maxMs }) => `${name} ${Math.round(maxMs)} ms`).join(', ')}\n`,
    )
    for (const { name, maxMs, refused } of waits) {
      if (refused.length > 0) run.failed(`${what}: ${name} was answered ${refused.join(', ')}`)
      if ((name === 'GET' || name === 'healthz') && maxMs > boundMs)
        run.failed(`${what}: a ${name} waited ${Math.round(maxMs)} ms`)
    }
  }

  /** The waits since the last call; the longest ones become figures. */
  async waits(): Promise<Waits[]> {
    const answered = once(this.readers, 'message')
    this.readers.send('report' satisfies ToReaders)
    const [waits] = (await answered) as [Waits[]]
    for (const { name, maxMs } of waits) {
      const maxOfAll = Math.max(this.maxWaits.get(name) ?? 0, maxMs)
      this.maxWaits.set(name, maxOfAll)
      this.run.figure(`longest ${name}`, `${Math.round(maxOfAll)} ms`)
    }
    return waits
  }

  /** Waits until the database equals the disk. @returns the documents by path */
  private async waitUntilIngested(): Promise<Map<string, { id: string; revision: string }>> {
    const endMs = performance.now() + timeoutMs
    for (;;) {
      const found = this.records.byPath()
      const outdated = this.stock.sheets.filter(
        (sheet) => found.get(this.stock.pathOf(sheet))?.revision !== sheet.revision,
      )
      if (outdated.length === 0 && found.size === this.stock.sheets.length) return found
      if (performance.now() > endMs) {
        throw new Error(
          `${outdated.length} documents are not what the disk says, such as ${outdated[0]?.path}; ${found.size} are known`,
        )
      }
      await pause(200)
    }
  }
}
