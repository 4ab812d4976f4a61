import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { revisionOf } from '../../core/revisions/revision.ts'
import type { CampaignRun } from './campaign.ts'
import { filesBelow } from './dav-ledger.ts'
import type { DavServer } from './dav-server.ts'

/** The top-level folders between which convoys move. */
const topFolders = ['general/documents', 'general/files', 'other/documents', 'other/files'] as const

/** A folder that is moved again and again and otherwise unchanged: all of it must be at one path. */
interface MovedFolder {
  name: string
  isOfDocuments: boolean
  files: Map<string, string>
  /** The ids of its documents by path; null while unknown. */
  ids: Map<string, string> | null
  /** Its last known path in `projects`. */
  path: string
}

export class MovedFolders {
  private readonly folders: MovedFolder[] = []
  private turn = 0

  constructor(
    private readonly run: CampaignRun,
    private readonly server: DavServer,
  ) {}

  /** Creates the folders on the disk before the server starts. */
  make(documents: number, others: number): void {
    for (let n = 0; n < documents + others; n++) {
      const isOfDocuments = n < documents
      const name = `convoy-${n}-`
      const path = `${isOfDocuments ? topFolders[0] : topFolders[1]}/${name}0`
      const files = new Map<string, string>()
      for (let file = 0; file < 25; file++) {
        const filePath = file % 3 === 0 ? `deep/er/${file}.${isOfDocuments ? 'md' : 'bin'}` : `${file}.md`
        files.set(filePath, `# ${name} ${file}\n`)
      }
      files.set('.hidden/config', `${name} hidden`).set('plain.txt', `${name} plain`)
      for (const [filePath, text] of files) {
        const at = join(this.server.home, 'projects', path, filePath)
        mkdirSync(join(at, '..'), { recursive: true })
        writeFileSync(at, text)
        files.set(filePath, revisionOf(Buffer.from(text)))
      }
      this.folders.push({ name, isOfDocuments, files, ids: null, path })
    }
  }

  /** Moves a folder as an impatient client does: perhaps several times at once, or to two paths. */
  async move(): Promise<void> {
    const moved = this.run.pick(this.folders)
    const from = moved.path
    const targetCount = this.run.pick([1, 1, 2, 3])
    const same = this.targetOf(moved)
    const targetPaths = Array.from({ length: targetCount }, () =>
      this.run.below(2) === 0 ? same : this.targetOf(moved),
    )
    const responses = await Promise.allSettled(
      targetPaths.map((to) => this.server.transfer('MOVE', from, to)),
    )
    let successes = 0
    responses.forEach((response, index) => {
      if (response.status === 'rejected') return
      const { status, text } = response.value
      if (status === 201 || status === 204) {
        successes += 1
        moved.path = targetPaths[index]!
      } else if (![404, 409, 503].includes(status)) {
        this.run.failed(`MOVE ${from} to ${targetPaths[index]}: ${status} ${text}`)
      }
    })
    if (successes > 1) this.run.failed(`MOVE ${from} succeeded ${successes} times`)
    const isAnswered = responses.every(({ status }) => status === 'fulfilled')
    if (isAnswered && successes === 0 && existsSync(this.server.onDisk(from))) return
    if (isAnswered && successes === 0) this.run.failed(`${from} is gone, and no move of it succeeded`)
  }

  /** Compares the folders with their first state. No move may be under way. */
  check(): void {
    const ids = this.idsByPath()
    for (const moved of this.folders) this.checkOne(moved, ids)
  }

  private checkOne(moved: MovedFolder, idsByPath: Map<string, string>): void {
    const { name, files, run } = { ...moved, run: this.run }
    const paths = topFolders.flatMap((topFolder) => {
      const folder = this.server.onDisk(topFolder)
      if (!existsSync(folder)) return []
      return readdirSync(folder).flatMap((entry) => (entry.startsWith(name) ? `${topFolder}/${entry}` : []))
    })
    const [path] = paths
    if (path === undefined || paths.length > 1) {
      run.failed(`${name} is at ${paths.join(', ') || 'no place'}`)
      return
    }
    if (path !== moved.path && !this.server.wasInterrupted) {
      run.failed(`${name} is at ${path}, and was moved to ${moved.path}`)
    }
    moved.path = path
    const found = filesBelow(this.server.onDisk(path))
    for (const [filePath, revision] of files) {
      if (found.get(filePath) !== revision) run.failed(`${path}/${filePath} is not what it was`)
      found.delete(filePath)
    }
    if (found.size > 0) run.failed(`${path} holds ${[...found.keys()].join(', ')} as well`)
    if (moved.isOfDocuments) this.checkIds(moved, idsByPath)
  }

  private checkIds(moved: MovedFolder, idsByPath: Map<string, string>): void {
    const documents = [...moved.files.keys()].filter((path) => path.endsWith('.md') && !path.startsWith('.'))
    const ids = new Map(documents.map((path) => [path, idsByPath.get(`${moved.path}/${path}`) ?? 'none']))
    for (const [path, id] of moved.ids ?? []) {
      if (ids.get(path) === id) continue
      this.run.failed(`${moved.path}/${path} was ${id} and is ${ids.get(path)}`)
    }
    if ([...ids.values()].includes('none')) this.run.failed(`${moved.path} has files without documents`)
    moved.ids = ids
  }

  private targetOf({ name, isOfDocuments }: MovedFolder): string {
    const kind = isOfDocuments ? 'documents' : 'files'
    return `${this.run.pick(['general', 'other'])}/${kind}/${name}${++this.turn}`
  }

  /** The ids of documents by path in `projects`. */
  private idsByPath(): Map<string, string> {
    const db = new Sqlite(join(this.server.home, '.workroom/workroom.db'), { readonly: true })
    try {
      const rows = db
        .prepare<[], { id: string; path: string }>(`
          SELECT documents.id, projects.folder || '/' || path AS path FROM documents
          JOIN projects ON projects.id = project_id WHERE documents.deleted_ms IS NULL`)
        .all()
      return new Map(rows.map(({ id, path }) => [path, id]))
    } finally {
      db.close()
    }
  }
}
