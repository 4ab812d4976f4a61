import type { Caller } from '../access/member.ts'
import type { Locks } from '../concurrency/name-locks.ts'
import type { Config } from '../config.ts'
import type { AddressResolver } from '../documents/addressing/address-resolver.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import type { FolderMoves } from '../documents/writing/folder-moves.ts'
import type { PathWrites } from '../documents/writing/path-writes.ts'
import type { FileTrash } from '../files/file-trash.ts'
import type { WriteCondition } from '../revisions/condition.ts'
import { type Checksums, FileChecksums, type ReadBudget } from './checksums.ts'
import type { MountDeps } from './deps.ts'
import { MountEntries } from './entries.ts'
import { FileTimes } from './file-times.ts'
import { FolderMover } from './folder-mover.ts'
import { LockStore } from './lock-store.ts'
import { MountMoves, type Transfer } from './mount-moves.ts'
import { fixedFolderError, MountPaths } from './mount-paths.ts'
import { MountWrites } from './mount-writes.ts'
import { PlainFiles } from './plain-files.ts'
import { ReplacedFiles } from './replaced-files.ts'
import { ScratchFiles } from './scratch.ts'
import type {
  BeginBytes,
  Failure,
  Mounted,
  MountedFile,
  Outcome,
  PathSegments,
  PutResult,
  Tagged,
} from './types.ts'

interface MountServices {
  addressing: AddressResolver
  byPath: PathResolver
  disk: DiskSync
  fileTrash: FileTrash
  folderMoves: FolderMoves
  locks: Locks
  pathWrites: PathWrites
}

/** Projects as files, for programs without knowledge of Workroom. Permissions are those of the file tree. */
export class Mount {
  readonly lockStore: LockStore
  private readonly checksumsOfFiles = new FileChecksums()
  private readonly times: FileTimes
  private readonly entries: MountEntries
  private readonly writes: MountWrites
  private readonly moves: MountMoves
  private readonly scratch: ScratchFiles

  constructor(
    shared: MountDeps,
    services: MountServices,
    limits: Pick<Config['limits'], 'markdownBytes' | 'uploadBytes'>,
  ) {
    const { byPath, disk, fileTrash, folderMoves, locks, pathWrites } = services
    const mountPaths = new MountPaths(shared, services)
    const { clock, database, diskNow, mountLocks, projects, tree } = shared
    const replacedFiles = new ReplacedFiles(tree, clock)
    const plainFiles = new PlainFiles(tree, diskNow, { locks, fileTrash, replacedFiles })
    this.lockStore = new LockStore(database, mountLocks, clock)
    this.scratch = new ScratchFiles(shared)
    const files = { byPath, pathWrites, plainFiles, scratch: this.scratch }
    this.entries = new MountEntries(shared, { ...files, disk, mountPaths })
    this.writes = new MountWrites(tree, projects, { ...files, entries: this.entries, limits })
    const writeDeps = { ...files, entries: this.entries, writes: this.writes }
    this.times = new FileTimes(shared, { ...files, entries: this.entries, locks })
    const folders = new FolderMover(tree, { ...writeDeps, fileTrash, folderMoves })
    this.moves = new MountMoves(tree, { ...writeDeps, folders })
  }

  find(caller: Caller, names: PathSegments): Promise<Mounted | null> {
    return this.entries.find(caller, names)
  }

  resolveNames(caller: Caller, names: PathSegments): PathSegments {
    return this.entries.resolveNames(caller, names)
  }

  list(caller: Caller, names: PathSegments): Promise<Mounted[]> {
    return this.entries.list(caller, names)
  }

  /** Standard folders cannot be changed. @throws WorkspaceError `forbidden`, `conflict` (archived) */
  requireWriting(caller: Caller, names: PathSegments): void {
    const { location, fileKind } = this.entries.requireTarget(caller, names)
    if (fileKind === null) throw fixedFolderError(location)
  }

  put(caller: Caller, names: PathSegments, begin: BeginBytes, condition: WriteCondition): Promise<PutResult> {
    return this.writes.put(caller, names, begin, condition)
  }

  makeFolder(caller: Caller, names: PathSegments): Promise<void> {
    return this.writes.makeFolder(caller, names)
  }

  remove(caller: Caller, names: PathSegments, condition: WriteCondition): Promise<Failure[]> {
    return this.moves.remove(caller, names, condition)
  }

  transfer(caller: Caller, transfer: Transfer): Promise<Outcome> {
    return this.moves.transfer(caller, transfer)
  }

  setTime(caller: Caller, names: PathSegments, mtimeMs: number, tag: string | null): Promise<Tagged | null> {
    return this.times.set(caller, names, mtimeMs, tag)
  }

  checksums(file: MountedFile, budget: ReadBudget): Promise<Checksums | null> {
    return this.checksumsOfFiles.of(file, budget)
  }

  /** Removes what interrupted writes left. Must be called before the first request. */
  start(): void {
    this.scratch.removeOrphans()
  }
}
