import { conflictOf, type FolderEntry, isLitter, nameKey, scanFolders } from '../../../data/tree/index.ts'
import type { Project } from '../../projects/types.ts'
import type { Parts } from '../parts.ts'
import { homePathOf, isFilesOnly, mayHoldDocuments, placeOf } from '../places.ts'
import type { Intake, Priority } from './intake.ts'
import type { Looks } from './looks.ts'
import type { Oddities } from './oddities.ts'
import type { Roots } from './roots.ts'

/** More new files than this at once are a checkout or an archive: who lists a folder meanwhile does not wait for them. */
const floodCount = 100

type FolderStamp = { ino: number; mtimeMs: number; ctimeMs: number }

/**
 * The safety scan: compares every folder with the catalogue, whatever a watcher said or did not say, without blocking
 * requests. It also learns the folders' stamps, by which a listing sees that something was added or removed.
 */
export class Sweep {
  private readonly parts: Parts
  private readonly intake: Intake
  private readonly looks: Looks
  private readonly roots: Roots
  private readonly folders = new Map<string, FolderStamp>()
  private readonly oddities: Oddities
  /** Folders of each project (within it, by its id) that the last scan could not look into. */
  private readonly unreadable = new Map<string, string[]>()
  /** File names of conflict copies, by the key of their original's path: sync tools may spell it in another form. */
  private readonly copies = new Map<string, Set<string>>()
  /** Looks that are asked for and have not begun: they serve whoever asks meanwhile. */
  private readonly freshenings = new Map<string, Promise<void>>()

  constructor(parts: Parts, near: { intake: Intake; looks: Looks; oddities: Oddities; roots: Roots }) {
    this.parts = parts
    this.intake = near.intake
    this.looks = near.looks
    this.oddities = near.oddities
    this.roots = near.roots
  }

  /** Looks at everything; what differs is taken in. @returns when it has been */
  async all(priority: Priority): Promise<void> {
    await this.roots.discover()
    const usable = this.parts.projects.all().filter((project) => this.roots.trouble(project) === null)
    for (const project of usable) await this.project(project, priority)
  }

  /** The folders of a project, within it, that the last scan could not look into. */
  unreadableFolders(project: Project): string[] {
    return this.unreadable.get(project.id) ?? []
  }

  /** File names of the conflict copies that a sync tool left beside a file (its path within the home). */
  conflictCopies(path: string): string[] {
    return [...(this.copies.get(nameKey(path)) ?? [])].sort()
  }

  /**
   * Looks again at a folder and at those below it whose stamps say that an entry came or went.
   * Resolves when what came has been taken in, unless it is a flood.
   * @param root within the project
   */
  freshen(project: Project, root: string): Promise<void> {
    const top = `projects/${project.folder}/${root}`
    const planned = this.freshenings.get(top)
    if (planned) return planned
    // Writers that arrive together share one look, as they share one commit.
    const freshening = new Promise((begin) => setImmediate(begin)).then(() => {
      this.freshenings.delete(top)
      return this.freshenNow(project, top)
    })
    this.freshenings.set(top, freshening)
    return freshening
  }

  private async freshenNow(project: Project, top: string): Promise<void> {
    const { tree } = this.parts
    const ahead = [...new Set([top, ...this.foldersBelow(top)])].filter(
      (folder) => !this.isFolderAsKnown(folder),
    )
    const looked = new Map<string, Set<string>>()
    const differing: string[] = []
    for (let folder = ahead.pop(); folder !== undefined; folder = ahead.pop()) {
      const stamp = tree.folderStamp(folder)
      const entries = tree.list(folder)
      if (entries === null && tree.look(folder).kind !== 'missing') continue
      looked.set(folder, new Set(entries?.map(({ name }) => name)))
      if (!stamp || !entries) continue
      this.learn(folder, stamp)
      differing.push(...this.differing(folder, entries))
      ahead.push(...this.unseenFolders(folder, entries))
    }
    if (looked.size > 0) differing.push(...this.vanished(project, looked))
    const isFlood = differing.length > floodCount
    const taking = differing.map((path) => this.take(path, isFlood ? 'background' : 'answering'))
    // Another look may have come to the new files first, and still be at them.
    const arriving = this.intake.arriving(top)
    if (!isFlood && arriving.length <= floodCount) await Promise.allSettled([...taking, ...arriving])
  }

  /** The folders among the entries of a folder that no look has come to yet, and that can hold documents. */
  private unseenFolders(folder: string, entries: FolderEntry[]): string[] {
    return entries
      .filter(({ name, look }) => look.kind === 'odd' && look.odd === 'folder' && !isLitter(name))
      .map(({ name }) => `${folder}/${name}`)
      .filter((path) => !this.folders.has(path) && mayHoldDocuments(path.split('/').slice(2).join('/')))
  }

  /** The documents that are not among the names of the folder that they were in, as paths within the home. */
  private vanished(project: Project, looked: Map<string, Set<string>>): string[] {
    const root = homePathOf(project, '')
    return this.parts.catalogue
      .inProject(project.id)
      .filter(({ path }) => {
        const end = path.lastIndexOf('/')
        return looked.get(root + path.slice(0, end))?.has(path.slice(end + 1)) === false
      })
      .map(({ path }) => root + path)
  }

  /** The folders at or below a path (within the home) that have been seen. */
  private foldersBelow(path: string): string[] {
    return [...this.folders.keys()].filter((folder) => folder === path || folder.startsWith(`${path}/`))
  }

  private isFolderAsKnown(folder: string): boolean {
    const known = this.folders.get(folder)
    const stamp = this.parts.tree.folderStamp(folder)
    return (
      known !== undefined &&
      stamp !== null &&
      known.ino === stamp.ino &&
      known.mtimeMs === stamp.mtimeMs &&
      known.ctimeMs === stamp.ctimeMs
    )
  }

  private learn(folder: string, stamp: FolderStamp): void {
    // A folder that was touched just now may be touched again within the same tick: it is looked at once more.
    if (Math.max(stamp.ctimeMs, stamp.mtimeMs) + 20 < this.parts.diskNow()) this.folders.set(folder, stamp)
    else this.folders.set(folder, { ...stamp, mtimeMs: -1 })
  }

  private async project(project: Project, priority: Priority): Promise<void> {
    const { catalogue, tree } = this.parts
    const root = `projects/${project.folder}`
    const seen = new Set<string>()
    const unreadable: string[] = []
    const differing: string[] = []
    const visit = (folder: string, entries: FolderEntry[]) => {
      const inner = folder.slice(root.length + 1)
      if (inner !== '' && !mayHoldDocuments(inner)) return
      const stamp = tree.folderStamp(folder)
      if (stamp) this.learn(folder, stamp)
      for (const { name } of entries) seen.add(inner === '' ? name : `${inner}/${name}`)
      differing.push(...this.differing(folder, entries))
    }
    await scanFolders(tree, [root], visit, {
      isLeftOut: isFilesOnly,
      onUnreadable: (folder) => unreadable.push(folder.slice(root.length + 1)),
    })
    this.unreadable.set(project.id, unreadable)
    for (const record of catalogue.inProject(project.id)) {
      const isHidden = unreadable.some((folder) => record.path.startsWith(`${folder}/`))
      if (!seen.has(record.path) && !isHidden) differing.push(`${root}/${record.path}`)
    }
    await Promise.all(differing.map((path) => this.take(path, priority)))
  }

  /** One file that cannot be taken in holds up none of the others. */
  private async take(path: string, priority: Priority): Promise<void> {
    try {
      await this.intake.look(path, priority)
    } catch (error) {
      this.parts.onProblem(`A file on the disk could not be taken in: ${path}`, error)
    }
  }

  /** The entries of a folder that are not what the catalogue says, as paths within the home. */
  private differing(folder: string, entries: FolderEntry[]): string[] {
    this.forgetFolder(folder)
    const [, projectFolder = '', ...names] = folder.split('/')
    const project = this.roots.projectIn(projectFolder)
    const differing: string[] = []
    for (const { name, look } of entries) {
      const path = `${folder}/${name}`
      const inner = [...names, name].join('/')
      // Nearly every file is a document that is as it was: it is told by its stat before its name is looked into.
      const known = project && this.parts.catalogue.at(project.id, inner)
      if (known && look.kind === 'file' && this.looks.isStampAsKnown(path, known, look.stamp)) continue
      if (isLitter(name) || placeOf(inner) === null) continue
      const original = conflictOf(name)
      if (original !== null) this.noteCopy(nameKey(`${folder}/${original}`), name)
      else if (look.kind === 'odd' && look.odd !== 'folder') this.oddities.note(path, look.odd)
      else if (look.kind === 'file') differing.push(path)
    }
    return differing
  }

  private noteCopy(original: string, name: string): void {
    const copies = this.copies.get(original) ?? new Set()
    this.copies.set(original, copies.add(name))
  }

  private forgetFolder(folder: string): void {
    this.oddities.forgetFolder(folder)
    const key = nameKey(folder)
    for (const path of this.copies.keys()) {
      if (path.slice(0, path.lastIndexOf('/')) === key) this.copies.delete(path)
    }
  }
}
