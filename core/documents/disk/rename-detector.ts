import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { type FileStamp, nameKey, sameFile } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { pathInHome } from '../model/document-paths.ts'

export type DocumentMatch =
  | { kind: 'edit'; record: DocumentRecord }
  /** The first renamed document is at this path; each may displace the next. */
  | { kind: 'moves'; moves: FileRename[]; overwritten: DocumentRecord | null }
  /** A deleted document of this path and these bytes. */
  | { kind: 'return'; record: DocumentRecord }
  | { kind: 'new' }

export interface ScannedPath {
  project: Project
  path: string
  existing: DocumentRecord | null
}

export interface FileRename {
  record: DocumentRecord
  project: Project
  path: string
}

/** Matches by inode and birth time, else by path, else by bytes that exactly one missing document had. */
export class RenameDetector {
  constructor(private readonly deps: DocumentsDeps) {}

  match(
    project: Project,
    path: string,
    existing: DocumentRecord | null,
    stamp: FileStamp,
    revision: string,
  ): DocumentMatch {
    const owner = this.documentByInode(project, path, existing, stamp)
    if (owner) return this.renameChain({ record: owner, project, path }, existing)
    if (existing) return { kind: 'edit', record: existing }
    const missing = stamp.size > 0 ? this.missingByRevision(revision) : []
    if (missing.length === 1) {
      return { kind: 'moves', moves: [{ record: missing[0]!, project, path }], overwritten: null }
    }
    const returned = this.restoredFromTrash(project, path, revision)
    return returned ? { kind: 'return', record: returned } : { kind: 'new' }
  }

  /** Only if the file left its path: a second name for the same file is a copy. */
  private documentByInode(
    project: Project,
    path: string,
    existing: DocumentRecord | null,
    stamp: FileStamp,
  ): DocumentRecord | null {
    const { catalogue } = this.deps
    const owners = catalogue.withFile(stamp).filter((record) => record.id !== existing?.id)
    if (existing?.stamp && isSameInode(existing.stamp, stamp)) return null
    const here = pathInHome(project, path)
    return owners.find((record) => !this.isAt(record, stamp, here)) ?? null
  }

  private isAt(record: DocumentRecord, stamp: FileStamp, here: string): boolean {
    const { tree, projects } = this.deps
    const own = pathInHome(projects.find(record.projectId)!, record.path)
    const stat = tree.stat(own)
    if (stat.kind !== 'file' || !isSameInode(stat.stamp, stamp)) return false
    if (nameKey(own) !== nameKey(here)) return true
    // On a case-insensitive disk both names find the file; the listing has the spelling.
    const folder = own.slice(0, own.lastIndexOf('/'))
    return tree.list(folder)?.some(({ name }) => `${folder}/${name}` === own) ?? false
  }

  /** A rename may displace another document, and so on, as in a swap or rotation. */
  private renameChain(first: FileRename, displaced: DocumentRecord | null): DocumentMatch {
    const { tree, catalogue, projects } = this.deps
    const moves = [first]
    const moved = new Set([first.record.id])
    for (let lost = displaced; lost !== null; ) {
      const vacated = moves.at(-1)!.record
      const project = projects.find(vacated.projectId)!
      const stat = tree.stat(pathInHome(project, vacated.path))
      if (stat.kind !== 'file') return { kind: 'moves', moves, overwritten: displaced }
      const next = catalogue.withFile(stat.stamp).find((record) => record.id !== vacated.id)
      if (!next || moved.has(next.id)) return { kind: 'moves', moves, overwritten: displaced }
      moved.add(next.id)
      moves.push({ record: next, project, path: vacated.path })
      if (next.id === displaced?.id) lost = null
    }
    return { kind: 'moves', moves, overwritten: null }
  }

  private missingByRevision(revision: string): DocumentRecord[] {
    const { tree, catalogue, projects } = this.deps
    return catalogue
      .withRevision(revision)
      .filter(
        (record) => tree.stat(pathInHome(projects.find(record.projectId)!, record.path)).kind === 'missing',
      )
  }

  private restoredFromTrash(project: Project, path: string, revision: string): DocumentRecord | null {
    return this.deps.documents.lastDeletedAt(project.id, path, revision) ?? null
  }
}

/** An inode number alone is not enough: it may be reused immediately. */
export const isSameInode = (a: FileStamp, b: FileStamp): boolean =>
  sameFile(a, b) && a.birthtimeMs === b.birthtimeMs
