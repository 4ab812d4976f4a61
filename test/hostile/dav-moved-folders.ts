import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { revisionOf } from '../../core/revisions/revision.ts'
import type { CampaignRun } from './campaign.ts'
import { filesBelow } from './dav-ledger.ts'
import type { DavServer } from './dav-server.ts'

/** The top-level folders between which convoys move. */
const zones = ['general/documents', 'general/files', 'other/documents', 'other/files'] as const

/** A folder that is moved again and again and otherwise unchanged: all of it must be at one path. */
interface MovedFolder {
  name: string
  isOfDocuments: boolean
  files: Map<string, string>
  /** The ids of its documents by path; null while unknown. */
  ids: Map<string, string> | null
  /** Its last known path in `projects`. */
  place: string
}

export class MovedFolders {
  private readonly run: CampaignRun
  private readonly desk: DavServer
  private readonly convoys: MovedFolder[] = []
  private turn = 0

  constructor(run: CampaignRun, desk: DavServer) {
    this.run = run
    this.desk = desk
  }

  /** Creates the folders on the disk before the server starts. */
  make(documents: number, others: number): void {
    for (let n = 0; n < documents + others; n++) {
      const isOfDocuments = n < documents
      const name = `convoy-${n}-`
      const place = `${isOfDocuments ? zones[0] : zones[1]}/${name}0`
      const files = new Map<string, string>()
      for (let file = 0; file < 25; file++) {
        const path = file % 3 === 0 ? `deep/er/${file}.${isOfDocuments ? 'md' : 'bin'}` : `${file}.md`
        files.set(path, `# ${name} ${file}\n`)
      }
      files.set('.hidden/config', `${name} hidden`).set('plain.txt', `${name} plain`)
      for (const [path, text] of files) {
        const at = join(this.desk.home, 'projects', place, path)
        mkdirSync(join(at, '..'), { recursive: true })
        writeFileSync(at, text)
        files.set(path, revisionOf(Buffer.from(text)))
      }
      this.convoys.push({ name, isOfDocuments, files, ids: null, place })
    }
  }

  /** Moves a folder as an impatient client does: perhaps several times at once, or to two paths. */
  async move(): Promise<void> {
    const convoy = this.run.pick(this.convoys)
    const from = convoy.place
    const targets = this.run.pick([1, 1, 2, 3])
    const same = this.targetOf(convoy)
    const places = Array.from({ length: targets }, () =>
      this.run.below(2) === 0 ? same : this.targetOf(convoy),
    )
    const answers = await Promise.allSettled(places.map((to) => this.desk.transfer('MOVE', from, to)))
    let moved = 0
    answers.forEach((answer, index) => {
      if (answer.status === 'rejected') return
      const { status, text } = answer.value
      if (status === 201 || status === 204) {
        moved += 1
        convoy.place = places[index]!
      } else if (![404, 409, 503].includes(status)) {
        this.run.failed(`MOVE ${from} to ${places[index]}: ${status} ${text}`)
      }
    })
    if (moved > 1) this.run.failed(`MOVE ${from} succeeded ${moved} times`)
    const isSettled = answers.every(({ status }) => status === 'fulfilled')
    if (isSettled && moved === 0 && existsSync(this.desk.onDisk(from))) return
    if (isSettled && moved === 0) this.run.failed(`${from} is gone, and no move of it succeeded`)
  }

  /** Compares the folders with their first state. No move may be under way. */
  check(): void {
    const ids = this.idsByPath()
    for (const convoy of this.convoys) this.checkOne(convoy, ids)
  }

  private checkOne(convoy: MovedFolder, idsByPath: Map<string, string>): void {
    const { name, files, run } = { ...convoy, run: this.run }
    const places = zones.flatMap((zone) => {
      const folder = this.desk.onDisk(zone)
      if (!existsSync(folder)) return []
      return readdirSync(folder).flatMap((entry) => (entry.startsWith(name) ? `${zone}/${entry}` : []))
    })
    const [place] = places
    if (place === undefined || places.length > 1) {
      run.failed(`${name} is at ${places.join(', ') || 'no place'}`)
      return
    }
    if (place !== convoy.place && !this.desk.wasCut) {
      run.failed(`${name} is at ${place}, and was moved to ${convoy.place}`)
    }
    convoy.place = place
    const found = filesBelow(this.desk.onDisk(place))
    for (const [path, revision] of files) {
      if (found.get(path) !== revision) run.failed(`${place}/${path} is not what it was`)
      found.delete(path)
    }
    if (found.size > 0) run.failed(`${place} holds ${[...found.keys()].join(', ')} as well`)
    if (convoy.isOfDocuments) this.checkIds(convoy, idsByPath)
  }

  private checkIds(convoy: MovedFolder, idsByPath: Map<string, string>): void {
    const documents = [...convoy.files.keys()].filter((path) => path.endsWith('.md') && !path.startsWith('.'))
    const ids = new Map(documents.map((path) => [path, idsByPath.get(`${convoy.place}/${path}`) ?? 'none']))
    for (const [path, id] of convoy.ids ?? []) {
      if (ids.get(path) === id) continue
      this.run.failed(`${convoy.place}/${path} was ${id} and is ${ids.get(path)}`)
    }
    if ([...ids.values()].includes('none')) this.run.failed(`${convoy.place} has files without documents`)
    convoy.ids = ids
  }

  private targetOf({ name, isOfDocuments }: MovedFolder): string {
    const kind = isOfDocuments ? 'documents' : 'files'
    return `${this.run.pick(['general', 'other'])}/${kind}/${name}${++this.turn}`
  }

  /** The ids of documents by path in `projects`. */
  private idsByPath(): Map<string, string> {
    const db = new Sqlite(join(this.desk.home, '.workroom/workroom.db'), { readonly: true })
    try {
      const rows = db
        .prepare<[], { id: string; path: string }>(`
          SELECT documents.id, projects.folder || '/' || path AS path FROM documents
          JOIN projects ON projects.id = project_id WHERE deleted_ms IS NULL`)
        .all()
      return new Map(rows.map(({ id, path }) => [path, id]))
    } finally {
      db.close()
    }
  }
}
