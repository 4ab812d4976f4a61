import type { Database } from '../../data/database.ts'
import { failureReason } from '../../data/failures.ts'
import { TimeSlice } from '../../data/scheduling/time-slice.ts'
import type { UploadedFileRow, UploadedFilesTable } from '../../data/tables/uploaded-files.ts'
import { DiskError, type FolderEntry, isIgnoredName, type Tree } from '../../data/tree/index.ts'
import type { Project } from '../access/project.ts'
import { maxPathDepth } from '../files/file-names.ts'
import { filesFolder } from '../files/library-files.ts'
import { uploadPagePath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Candidate } from './top-matches.ts'
import { trigramText } from './trigrams.ts'

interface UploadedFilesDeps {
  database: Database
  projects: ProjectStore
  tree: Tree
  uploadedFiles: UploadedFilesTable
  diskNow: () => number
  onProblem: (problem: string, error: unknown) => void
}

/** In each project. */
const maxFiles = 100_000
const maxFolders = 5000

/** For one transaction. */
const batchSize = 200

const pageSize = 500

/** How many names a search compares with its words. */
const maxCompared = 20_000

/** A folder that changes twice within this time may keep its stamp. */
const granularityMs = 20

interface Listing {
  files: Set<string>
  folders: string[]
}

/** Files may appear in their folders without the server. A folder is listed again if its stamp changed. */
export class UploadedFiles {
  /** By project: the refresh that runs, and the one that begins when it ends. */
  private readonly running = new Map<string, Promise<boolean>>()
  private readonly pending = new Map<string, Promise<boolean>>()
  private isStopped = false

  constructor(private readonly deps: UploadedFilesDeps) {}

  /** Lists what changed while the server was down, so that no search has to wait for it. */
  async start(): Promise<void> {
    try {
      for (const project of this.deps.projects.all()) if (!this.isStopped) await this.refresh(project)
    } catch (error) {
      this.deps.onProblem('Some uploaded files cannot be searched by name yet', error)
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await Promise.all([...this.running.values(), ...this.pending.values()])
  }

  /** Returns whether the index has all files that were there before the call. */
  refresh(project: Project): Promise<boolean> {
    const { id } = project
    const running = this.running.get(id)
    if (!running) return this.begin(project)
    const pending =
      this.pending.get(id) ??
      running.then(() => {
        this.pending.delete(id)
        return this.begin(project)
      })
    this.pending.set(id, pending)
    return pending
  }

  /** Newest first. Yields null so that a caller can pause. Returns whether nothing was left out. */
  *find(
    words: string | null,
    projects: ReadonlyMap<string, Project>,
  ): Generator<Candidate | null, boolean, undefined> {
    let before = Number.MAX_SAFE_INTEGER
    for (let compared = 0; compared < maxCompared; compared += pageSize) {
      const page = { projects: [...projects.keys()], before, limit: pageSize }
      const rows = this.deps.uploadedFiles.page(words, page)
      yield null
      for (const row of rows) yield candidateOf(row, projects.get(row.projectId)!)
      if (rows.length < pageSize) return true
      before = rows.at(-1)!.id
    }
    return false
  }

  private begin(project: Project): Promise<boolean> {
    const run = this.refreshNow(project)
      .catch((error) => {
        // The health reports it; until then, the index is as it was.
        if (failureReason(error) === null && !(error instanceof DiskError)) throw error
        return false
      })
      .finally(() => this.running.delete(project.id))
    this.running.set(project.id, run)
    return run
  }

  private async refreshNow(project: Project): Promise<boolean> {
    const { diskNow, tree, uploadedFiles } = this.deps
    const slice = new TimeSlice()
    const storedFolders = new Map(uploadedFiles.foldersOf(project.id).map((folder) => [folder.path, folder]))
    const pendingPaths = ['', ...storedFolders.keys()]
    const visited = new Set<string>()
    let remaining = maxFiles - (storedFolders.size === 0 ? 0 : uploadedFiles.count(project.id))
    let isWhole = true
    for (let path = pendingPaths.shift(); path !== undefined; path = pendingPaths.shift()) {
      if (this.isStopped) return false
      if (visited.has(path)) continue
      if (visited.size === maxFolders) return false
      while (slice.isOver) await slice.pause()
      // Before the listing, so that what is added during it changes the next stamp.
      const nowMs = diskNow()
      const root = filesFolder(project) + (path && `/${path}`)
      const stamp = tree.folderStamp(root)
      if (stamp === null) continue
      visited.add(path)
      const folder = storedFolders.get(path)
      const text = JSON.stringify([stamp.ino, stamp.mtimeMs, stamp.ctimeMs])
      if (folder?.stamp === text) continue
      const listing = await this.list(root, slice)
      for (const name of listing.folders) {
        const inner = path === '' ? name : `${path}/${name}`
        if (inner.split('/').length <= maxPathDepth) pendingPaths.push(inner)
      }
      const isStable = Math.max(stamp.mtimeMs, stamp.ctimeMs) + granularityMs < nowMs
      const added = await this.record(project, path, listing.files, isStable ? text : null, remaining)
      remaining -= added.count
      isWhole &&= added.isWhole
    }
    for (const [path, { id }] of storedFolders) if (!visited.has(path)) await this.removeFolder(id)
    return isWhole
  }

  private async list(folder: string, slice: TimeSlice): Promise<Listing> {
    const listing: Listing = { files: new Set(), folders: [] }
    for (const entry of this.deps.tree.entries(folder) ?? []) {
      while (slice.isOver) await slice.pause()
      if (isIgnoredName(entry.name)) continue
      if (isFolder(entry)) listing.folders.push(entry.name)
      else if (isFile(entry)) listing.files.add(entry.name)
    }
    return listing
  }

  /** Stores the stamp last. */
  private async record(
    project: Project,
    path: string,
    files: ReadonlySet<string>,
    stamp: string | null,
    remaining: number,
  ): Promise<{ count: number; isWhole: boolean }> {
    const { uploadedFiles } = this.deps
    const id = await this.write(() => uploadedFiles.addFolder(project.id, path))
    const stored = new Set(uploadedFiles.namesIn(id))
    const removed = [...stored].filter((name) => !files.has(name))
    const added = [...files].filter((name) => !stored.has(name))
    const withinLimit = added.slice(0, Math.max(0, remaining + removed.length))
    await this.removeFiles(id, removed)
    for (const names of batchesOf(withinLimit)) {
      await this.write(() => {
        for (const name of names)
          uploadedFiles.add(id, name, trigramText(path === '' ? name : `${path}/${name}`))
      })
    }
    const isWhole = withinLimit.length === added.length
    if (stamp !== null && isWhole) await this.write(() => uploadedFiles.setStamp(id, stamp))
    return { count: withinLimit.length - removed.length, isWhole }
  }

  private async removeFolder(id: number): Promise<void> {
    const { uploadedFiles } = this.deps
    await this.removeFiles(id, uploadedFiles.namesIn(id))
    await this.write(() => uploadedFiles.removeFolder(id))
  }

  private async removeFiles(folderId: number, names: string[]): Promise<void> {
    for (const batch of batchesOf(names)) {
      await this.write(() => {
        for (const name of batch) this.deps.uploadedFiles.remove(folderId, name)
      })
    }
  }

  private write<T>(write: () => T): Promise<T> {
    return this.deps.database.commit(write, 'afterCommit')
  }
}

function* batchesOf(names: readonly string[]): Generator<string[]> {
  for (let from = 0; from < names.length; from += batchSize) yield names.slice(from, from + batchSize)
}

const isFolder = ({ stat }: FolderEntry): boolean => stat.kind === 'skipped' && stat.reason === 'folder'

/** Includes files that are too large to be read into memory. */
const isFile = ({ stat }: FolderEntry): boolean =>
  stat.kind === 'file' || (stat.kind === 'skipped' && stat.reason === 'too_large')

function candidateOf({ folder, name }: UploadedFileRow, project: Project): Candidate {
  const path = folder === '' ? name : `${folder}/${name}`
  return {
    kind: 'file',
    title: name,
    name: path,
    page: uploadPagePath(project, path),
    where: folder === '' ? project.name : `${project.name}, ${folder}`,
  }
}
