import type { Tree } from '../../data/tree/index.ts'
import type { Member } from '../access/member.ts'
import type { Locks } from '../concurrency/name-locks.ts'
import { isSameFile } from '../documents/addressing/same-file.ts'
import { writeUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { FileTrash } from '../files/file-trash.ts'
import { mediaTypeOf } from '../files/media-type.ts'
import { withReceivedFile } from '../files/receive-file.ts'
import { fileForDownload } from '../files/served-file.ts'
import { preconditionError, type WriteCondition } from '../revisions/condition.ts'
import { homePathAt, type MountLocation, requireOwnName } from './mount-paths.ts'
import type { ReplacedFiles } from './replaced-files.ts'
import type { MountedFile, PutResult } from './types.ts'

interface PlainFilesDeps {
  locks: Locks
  replacedFiles: ReplacedFiles
  fileTrash: FileTrash
}

/** Files of a project that are not documents and exist on the disk only. */
export class PlainFiles {
  constructor(
    private readonly tree: Tree,
    private readonly diskNow: () => number,
    private readonly deps: PlainFilesDeps,
  ) {}

  find(location: MountLocation): MountedFile | null {
    const name = location.names.at(-1)!
    const file = fileForDownload(
      this.tree,
      homePathAt(location),
      { name, type: mediaTypeOf(name) },
      this.diskNow(),
    )
    return file && { kind: 'file', ...file }
  }

  /**
   * A replaced file goes to the trash. `recheckPermission` throws if the permission ended during the upload.
   * @throws WorkspaceError `precondition_failed`, `conflict` if it is not a regular file, `unavailable`
   */
  put(
    location: MountLocation,
    bytes: AsyncIterable<Uint8Array>,
    condition: WriteCondition,
    recheckPermission: () => void,
  ): Promise<PutResult> {
    const path = homePathAt(location)
    return withReceivedFile(this.tree, bytes, (staged) =>
      this.deps.locks.run([path], async () => {
        recheckPermission()
        const created = this.require(location, condition) === null
        const { displaced } = this.tree.place(staged, path, null)
        for (const { name, stamp } of displaced) {
          if (stamp) await this.deps.replacedFiles.retain(location, name, stamp)
        }
        await this.tree.flush(path)
        return this.resultOf(location, created)
      }),
    )
  }

  /** A replaced file goes to the trash. @throws WorkspaceError as `put`; `not_found` */
  move(from: MountLocation, to: MountLocation, condition: WriteCondition): Promise<PutResult> {
    const [source, target] = [homePathAt(from), homePathAt(to)]
    return this.withLock([source, target], async () => {
      if (!this.find(from)) throw vanishedError()
      const isRespelled =
        from.project.id === to.project.id && isSameFile(this.tree, from.project, from.path, to.path)
      if (!isRespelled) requireOwnName(to)
      const created = isRespelled || this.require(to, condition) === null
      if (!created) await this.deps.replacedFiles.moveToTrash(to)
      this.tree.move(source, target)
      for (const path of [target, source]) await this.tree.flush(path)
      return this.resultOf(to, created)
    })
  }

  /** @throws WorkspaceError `not_found`, `precondition_failed`, `unavailable` */
  remove(member: Member, location: MountLocation, condition: WriteCondition): Promise<void> {
    return this.withLock([homePathAt(location)], async () => {
      if (!this.require(location, condition)) throw vanishedError()
      await this.deps.fileTrash.moveToTrash(member, location.project, location.path)
    })
  }

  /** Removes a file whose bytes are elsewhere; a newer save stays. @throws WorkspaceError as `remove` */
  drop(location: MountLocation, condition: WriteCondition): Promise<void> {
    const path = homePathAt(location)
    return this.withLock([path], async () => {
      const stat = this.tree.statAnySize(path)
      if (!this.require(location, condition) || stat.kind !== 'file') throw vanishedError()
      if (!this.tree.removeIfUnchanged(path, stat.stamp)) throw preconditionError(true)
      await this.tree.flush(path)
    })
  }

  private require(location: MountLocation, condition: WriteCondition): MountedFile | null {
    const existing = this.find(location)
    if (!condition(existing?.tag ?? null)) throw preconditionError(existing !== null)
    if (existing || this.tree.statAnySize(homePathAt(location)).kind === 'missing') return existing
    throw new WorkspaceError('conflict', `${location.path} is not a regular file and was not changed.`)
  }

  private resultOf(location: MountLocation, created: boolean): PutResult {
    const { tag, isTagWeak } = this.find(location) ?? { tag: '', isTagWeak: true }
    return { created, tag, isTagWeak }
  }

  private async withLock<T>(paths: string[], work: () => Promise<T>): Promise<T> {
    try {
      return await this.deps.locks.run(paths, work)
    } catch (error) {
      throw writeUnavailableError(error)
    }
  }
}

const vanishedError = () => new WorkspaceError('not_found', 'The file no longer exists.')
