import type { Database } from '../../data/database.ts'
import type { ScratchFile, ScratchFileKey, ScratchFilesTable } from '../../data/tables/scratch-files.ts'
import { DiskError, type Staged, type Tree } from '../../data/tree/index.ts'
import type { Member } from '../access/member.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { mediaTypeOf } from '../files/media-type.ts'
import { withReceivedFile } from '../files/receive-file.ts'
import { fileForDownload } from '../files/served-file.ts'
import { preconditionError, type WriteCondition } from '../revisions/condition.ts'
import type { MountDeps } from './deps.ts'
import type { Mounted, MountedFile, PathSegments, PutResult } from './types.ts'

/** Per member. */
const maxEntries = 10_000
const maxBytes = 1024 * 1024 * 1024

export const scratchFolder = '.workroom/scratch'

/** Stores scratch files, such as `.DS_Store`, outside of projects, each visible to its author only. */
export class ScratchFiles {
  private readonly tree: Tree
  private readonly database: Database
  private readonly files: ScratchFilesTable
  private readonly newId: MountDeps['newId']
  private readonly diskNow: () => number
  private isFolderDurable = false

  constructor(deps: Pick<MountDeps, 'tree' | 'database' | 'scratchFiles' | 'newId' | 'diskNow'>) {
    this.tree = deps.tree
    this.database = deps.database
    this.files = deps.scratchFiles
    this.newId = deps.newId
    this.diskNow = deps.diskNow
  }

  /** Removes bytes of interrupted writes and deletions, which no row names. */
  removeOrphans(): void {
    const knownNames = new Set(this.files.all().map(({ file }) => file))
    for (const name of this.tree.names(scratchFolder) ?? []) if (!knownNames.has(name)) this.removeBytes(name)
  }

  find(member: Member, names: PathSegments): Mounted | null {
    if (names.length === 0) return null
    const row = this.files.find(scratchKeyOf(member, names))
    return row && this.view(row)
  }

  list(member: Member, folder: PathSegments): Mounted[] {
    return this.files.inFolder(member.id, keyOf(folder)).flatMap((row) => this.view(row) ?? [])
  }

  /** @throws WorkspaceError `precondition_failed`, `conflict` (folder), `forbidden` (limit), `unavailable` */
  put(
    member: Member,
    names: PathSegments,
    bytes: AsyncIterable<Uint8Array>,
    condition: WriteCondition,
  ): Promise<PutResult> {
    return withReceivedFile(this.tree, bytes, async (staged) => {
      const file = this.newId('tmp')
      const path = pathOf(file)
      await this.place(staged, path)
      const row = { ...scratchKeyOf(member, names), spelling: names.at(-1)!, file, bytes: staged.stamp.size }
      try {
        const previous = await this.database.commit(() => {
          const existing = this.find(member, names)
          if (existing?.kind === 'folder') throw new WorkspaceError('conflict', 'A folder has this name.')
          if (!condition(existing?.tag ?? null)) throw preconditionError(existing !== null)
          return this.record(row)
        })
        if (previous?.file) this.removeBytes(previous.file)
        const { tag, isTagWeak } = this.view(row) as MountedFile
        return { created: previous === null, tag, isTagWeak }
      } catch (error) {
        this.tree.remove(path)
        throw error
      }
    })
  }

  /** @throws WorkspaceError `forbidden` above the limits, `unavailable` */
  async makeFolder(member: Member, names: PathSegments): Promise<void> {
    const row = { ...scratchKeyOf(member, names), spelling: names.at(-1)!, file: null, bytes: 0 }
    await commitOrUnavailable(this.database, () => this.record(row))
  }

  /** Includes everything that the member wrote into a folder. @throws WorkspaceError `unavailable` */
  async remove(member: Member, names: PathSegments): Promise<void> {
    const removed = await commitOrUnavailable(this.database, () => {
      const own = this.files.remove(scratchKeyOf(member, names))
      return [...(own ? [own] : []), ...this.files.removeBelow(keyOf(names), member.id)]
    })
    for (const { file } of removed) if (file) this.removeBytes(file)
  }

  /** Removes the scratch files of all members in a removed folder. @throws WorkspaceError `unavailable` */
  async removeWithin(folder: PathSegments): Promise<void> {
    const removed = await commitOrUnavailable(this.database, () =>
      this.files.removeBelow(keyOf(folder), null),
    )
    for (const { file } of removed) if (file) this.removeBytes(file)
  }

  /** Follows a moved folder. Must be called inside a commit. */
  moveWithin(from: PathSegments, to: PathSegments): void {
    this.files.moveBelow(keyOf(from), keyOf(to))
  }

  setTime(member: Member, names: PathSegments, mtimeMs: number): Mounted | null {
    const file = this.files.find(scratchKeyOf(member, names))?.file
    const stat = file ? this.tree.statAnySize(pathOf(file)) : null
    if (stat?.kind !== 'file' || !this.tree.setTime(pathOf(file!), stat.stamp, mtimeMs)) return null
    return this.find(member, names)
  }

  private view({ spelling, file }: ScratchFile): Mounted | null {
    if (file === null) return { kind: 'folder', name: spelling, changedMs: null }
    const metadata = { name: spelling, type: mediaTypeOf(spelling) }
    const served = fileForDownload(this.tree, pathOf(file), metadata, this.diskNow())
    return served && { kind: 'file', ...served }
  }

  private async place(staged: Staged, path: string): Promise<void> {
    this.tree.placeNew(staged, path)
    await this.tree.flush(path)
    if (!this.isFolderDurable) await this.tree.flush(scratchFolder)
    this.isFolderDurable = true
  }

  /** Must be called inside a commit. @returns the previous row */
  private record(row: ScratchFile): ScratchFile | null {
    const previous = this.files.remove(row)
    const usage = this.files.used(row.memberId)
    if (usage.count >= maxEntries || usage.bytes + row.bytes > maxBytes) throw scratchLimitError()
    this.files.put(row)
    return previous
  }

  /** Leaves what cannot be removed to the next start. */
  private removeBytes(file: string): void {
    try {
      this.tree.remove(pathOf(file))
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
    }
  }
}

const pathOf = (file: string): string => `${scratchFolder}/${file}`

const keyOf = (names: PathSegments): string => names.join('/').normalize('NFC')

const scratchKeyOf = ({ id }: Pick<Member, 'id'>, names: PathSegments): ScratchFileKey => ({
  memberId: id,
  folder: keyOf(names.slice(0, -1)),
  name: names.at(-1)!.normalize('NFC'),
})

const scratchLimitError = () =>
  new WorkspaceError(
    'forbidden',
    `Too many temporary files of programs: at most ${maxEntries} files or ${maxBytes / 1024 ** 2} MB. Delete some first, such as .DS_Store, ._* and ~$* files.`,
  )
