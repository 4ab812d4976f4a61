import { LRUCache } from 'lru-cache'
import { type FolderEntry, isIgnoredName, type Tree } from '../../data/tree/index.ts'
import type { Project } from '../access/project.ts'
import { maxPathDepth } from '../files/file-names.ts'
import { filesFolder } from '../files/library-files.ts'
import { uploadPagePath } from '../paths.ts'
import type { Clock } from '../time/clock.ts'
import type { Candidate } from './top-matches.ts'

/** The entries that may still be scanned, in all and in each project; decremented by the search. */
export interface ScanBudget {
  entries: number
  ofEach: number
  isShort: boolean
}

interface Listing {
  stamp: NonNullable<ReturnType<Tree['folderStamp']>>
  files: readonly string[]
  folders: readonly string[]
}

/** The names of all cached listings together, in UTF-16 code units. */
const cacheLength = 8 * 1024 * 1024

/** A folder that changes twice within this time may keep its stamp. */
const granularityMs = 20

/**
 * Uploaded files have no row in the database, so folders are listed; a listing is cached until the stamp of
 * its folder changes, so that a search of an unchanged folder costs one `stat`.
 */
export class UploadedNames {
  private readonly tree: Tree
  private readonly clock: Clock
  private readonly listings = new LRUCache<string, Listing>({
    maxSize: cacheLength,
    sizeCalculation: ({ files, folders }, path) =>
      [path, ...files, ...folders].reduce((total, { length }) => total + length + 32, 0),
  })

  constructor(deps: { tree: Tree; clock: Clock }) {
    this.tree = deps.tree
    this.clock = deps.clock
  }

  /** The uploaded files of a project, shallow ones first. Yields null between files, so that a caller can pause. */
  *in(project: Project, budget: ScanBudget): Generator<Candidate | null, void, undefined> {
    const root = filesFolder(project)
    const ahead = ['']
    let own = budget.ofEach
    for (let folder = ahead.shift(); folder !== undefined; folder = ahead.shift()) {
      for (const entry of this.entries(root + folder)) {
        if (own-- === 0 || budget.entries-- <= 0) {
          budget.isShort = true
          return
        }
        const path = `${folder}/${entry?.name}`
        if (entry?.isFolder && path.split('/').length <= maxPathDepth) ahead.push(path)
        yield entry && !entry.isFolder ? fileAt(project, path.slice(1)) : null
      }
    }
  }

  /** Yields null for an entry that is neither a file nor a folder, or ignored. */
  private *entries(folder: string): Generator<{ name: string; isFolder: boolean } | null, void, undefined> {
    // Before the listing: what is added during it changes the next stamp.
    const nowMs = this.clock.now()
    const stamp = this.tree.folderStamp(folder)
    if (stamp === null) return
    const known = this.listings.get(folder)
    if (known && isSameStamp(known.stamp, stamp)) {
      for (const name of known.files) yield { name, isFolder: false }
      for (const name of known.folders) yield { name, isFolder: true }
      return
    }
    const listing: { files: string[]; folders: string[] } = { files: [], folders: [] }
    for (const entry of this.tree.entries(folder) ?? []) {
      const kind = isIgnoredName(entry.name)
        ? null
        : isFolder(entry)
          ? 'folders'
          : isFile(entry)
            ? 'files'
            : null
      if (kind) listing[kind].push(entry.name)
      yield kind && { name: entry.name, isFolder: kind === 'folders' }
    }
    if (Math.max(stamp.mtimeMs, stamp.ctimeMs) + granularityMs < nowMs)
      this.listings.set(folder, { stamp, ...listing })
  }
}

const isSameStamp = (one: Listing['stamp'], other: Listing['stamp']): boolean =>
  one.ino === other.ino && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs

const isFolder = ({ stat }: FolderEntry): boolean => stat.kind === 'odd' && stat.odd === 'folder'

/** Also a file that is too large to be read into memory. */
const isFile = ({ stat }: FolderEntry): boolean =>
  stat.kind === 'file' || (stat.kind === 'odd' && stat.odd === 'too_large')

function fileAt(project: Project, path: string): Candidate {
  const names = path.split('/')
  const folders = names.slice(0, -1).join('/')
  return {
    kind: 'file',
    title: names.at(-1)!,
    name: path,
    page: uploadPagePath(project, path),
    where: folders === '' ? project.name : `${project.name}, ${folders}`,
  }
}
