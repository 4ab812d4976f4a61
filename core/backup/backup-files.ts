import { join } from 'node:path'
import {
  type CopyOutcome,
  type DurableFolderWriter,
  type WalkedEntry,
  walk,
} from '../../data/backup/folders.ts'
import type { ProjectRow } from '../../data/tables/projects.ts'
import { conflictOf, isIgnoredName, openTree, type Tree } from '../../data/tree/index.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { isTrashedName, parseDocumentPath, pathInHome } from '../documents/model/document-paths.ts'
import { scratchFolder } from '../mount/scratch.ts'
import { markerName } from '../projects/project-folders.ts'
import { roomFilesRoot } from '../room-attachments/room-attachment-files.ts'
import { skillPath } from '../skills/skill-publisher.ts'
import type { DocumentFile, SnapshotFiles } from './snapshot-files.ts'

interface CopyingDeps {
  home: string
  snapshot: SnapshotFiles
  writer: DurableFolderWriter
  isLive: boolean
  onProgress: (files: number) => void
}

/** Copies documents and skills from the database snapshot, everything else from the disk. */
export class BackupFiles {
  private readonly deps: CopyingDeps
  private readonly tree: Tree
  private readonly written = new Set<string>()
  private readonly created = new Set<string>()
  private readonly reasons = new Map<string, string>()

  constructor(deps: CopyingDeps) {
    this.deps = deps
    this.tree = openTree(deps.home)
  }

  /** Counts files that a server created after the snapshot. */
  get newer(): number {
    return this.created.size
  }

  get leftOut(): { path: string; reason: string }[] {
    return [...this.reasons].map(([path, reason]) => ({ path, reason }))
  }

  async copyAll(): Promise<void> {
    const { snapshot } = this.deps
    const projects = snapshot.projects.filter((project) => !isPurged(project))
    const missing = new Set(projects.filter((project) => !this.exists(project)))
    for (const project of projects) {
      await this.write(pathInHome(project, markerName), Buffer.from(`${project.id}\n`))
    }
    await mapConcurrently(snapshot.documents, (document) =>
      this.writeDocument(document, missing.has(document.project)),
    )
    await mapConcurrently(snapshot.trashed, (document) => this.writeTrashed(document))
    for (const project of projects) await this.copyProject(project, missing.has(project))
    await this.copyBelow('trash', (path) => this.decideTrash(path))
    await this.copyBelow(roomFilesRoot, (path) => this.decideRoomFile(`${roomFilesRoot}/${path}`))
    await this.copyBelow(scratchFolder, () => 'copy')
    await this.copyOne({ path: 'workroom.yaml', kind: 'file' })
    if (!this.deps.isLive) return
    const reason = 'It was deleted, or was missing before: it is no longer attached.'
    const forgotten = [
      ...(await snapshot.forgetAttachments(this.written)),
      ...(await snapshot.forgetRoomAttachments(this.written)),
    ]
    for (const path of forgotten) this.reasons.set(path, reason)
  }

  private exists(project: ProjectRow): boolean {
    return this.tree.read(pathInHome(project, markerName))?.bytes.toString().trim() === project.id
  }

  private async writeDocument({ record, path }: DocumentFile, isMissing: boolean): Promise<void> {
    const bytes = this.deps.snapshot.bytesOf(record)
    const stat = this.tree.stat(path)
    // Without a server, an edit on the disk is not in the database yet.
    if (!this.deps.isLive && !isMissing) {
      if (stat.kind === 'missing') return
      const content = this.tree.read(path)
      if (content) return this.write(path, content.bytes)
    }
    if (bytes) return this.write(path, bytes)
    const outcome = await this.copyOne({ path, kind: 'file' })
    if (outcome === 'missing') this.reasons.set(path, 'It is missing.')
  }

  private async writeTrashed({ record, path }: DocumentFile): Promise<void> {
    const bytes = this.deps.snapshot.bytesOf(record)
    if (bytes) await this.write(path, bytes)
  }

  private async copyProject(project: ProjectRow, isMissing: boolean): Promise<void> {
    const skills = await this.deps.snapshot.skillsOf(project)
    for (const [name, files] of skills) {
      for (const [path, text] of files ?? []) {
        await this.write(`${skillPath(project, name)}/${path}`, Buffer.from(text))
      }
    }
    const root = pathInHome(project, '').slice(0, -1)
    if (isMissing) {
      const reason = 'Its folder is missing: its documents are in the backup, its other files are not.'
      this.reasons.set(root, reason)
      return
    }
    const { attached } = this.deps.snapshot
    await this.copyBelow(root, (path) => {
      const [top, name, file] = path.split('/') as [string, string?, string?]
      if (top === 'skills' && name !== undefined) return this.isSkillCopied(skills, name)
      if (!this.deps.isLive) return 'copy'
      if (top === 'attachments' && file !== undefined && !attached.has(path)) return 'newer'
      return isDocument(path) ? 'newer' : 'copy'
    })
  }

  private isSkillCopied(skills: ReadonlyMap<string, unknown>, name: string): CopyDecision {
    if (skills.get(name)) return 'written'
    return this.deps.isLive && !skills.has(name) ? 'newer' : 'copy'
  }

  private decideTrash(path: string): CopyDecision {
    const [, name, ...below] = path.split('/')
    return this.deps.isLive && below.length === 0 && isTrashedName(name ?? '') ? 'newer' : 'copy'
  }

  private decideRoomFile(path: string): CopyDecision {
    return this.deps.isLive && !this.deps.snapshot.roomFiles.has(path) ? 'newer' : 'copy'
  }

  /** Walks again if files were moved or deleted after they were listed: a moved one is found under its new name. */
  private async copyBelow(root: string, decide: (path: string) => CopyDecision): Promise<void> {
    for (let walks = 1; ; walks++) {
      const missing = await this.copyListed(root, decide)
      if (missing.length === 0) return
      if (walks < maxWalks) continue
      const reason = 'It was moved or deleted while the backup was taken.'
      for (const path of missing) this.reasons.set(path, reason)
      return
    }
  }

  /** @returns the paths of files that were missing once they were to be copied */
  private async copyListed(root: string, decide: (path: string) => CopyDecision): Promise<string[]> {
    const missing: string[] = []
    await mapConcurrently(walk(join(this.deps.home, root)), async ({ path, kind }) => {
      const fullPath = `${root}/${path}`
      if (this.written.has(fullPath)) return
      const decision = kind === 'folder' ? 'copy' : decide(path)
      if (decision === 'newer') this.created.add(fullPath)
      if (decision !== 'copy') return
      const outcome = await this.copyOne({ path: fullPath, kind })
      if (outcome === 'missing' && !isTemporary(path)) missing.push(fullPath)
    })
    return missing
  }

  private async copyOne({ path, kind }: WalkedEntry): Promise<CopyOutcome> {
    const outcome = await this.copyEntry({ path, kind })
    if (outcome === 'copied' && kind !== 'folder') this.recordWritten(path)
    if (outcome === 'unreadable' && !isTemporary(path)) {
      const reason = kind === 'other' ? 'It is not a regular file.' : 'It could not be read.'
      this.reasons.set(path, reason)
    }
    return outcome
  }

  private async copyEntry({ path, kind }: WalkedEntry): Promise<CopyOutcome> {
    const { writer, home } = this.deps
    const from = join(home, path)
    if (kind === 'folder') {
      await writer.makeFolder(path)
      return 'copied'
    }
    if (kind === 'link') return writer.copyLink(from, path)
    if (kind === 'other') return 'unreadable'
    const outcome = await writer.copy(from, path)
    // A file that a server is replacing exists again at once.
    return outcome === 'copied' ? outcome : writer.copy(from, path)
  }

  private async write(path: string, bytes: Uint8Array): Promise<void> {
    await this.deps.writer.write(path, bytes)
    this.recordWritten(path)
  }

  private recordWritten(path: string): void {
    this.written.add(path)
    this.reasons.delete(path)
    this.deps.onProgress(this.written.size)
  }
}

const isPurged = ({ deletedMs, deletedFolder }: ProjectRow) => deletedMs !== null && deletedFolder === null

/** Editors' temporary files come and go. */
const isTemporary = (path: string) => isIgnoredName(path.slice(path.lastIndexOf('/') + 1))

/** A file that is renamed again and again can be missed by each walk. */
const maxWalks = 3

type CopyDecision = 'copy' | 'newer' | 'written'

/** Whether the path is a document's, which changes only through the server or is ingested by it. */
function isDocument(path: string): boolean {
  const names = path.split('/')
  return parseDocumentPath(path) !== null && conflictOf(names.at(-1)!) === null && !names.some(isIgnoredName)
}
