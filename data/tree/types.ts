import type { Readable } from 'node:stream'

/** Paths are relative to the home, with `/`, and joined to it in one place, which refuses paths that leave it. */

/** The stat of a regular file. Equal stamps mean equal bytes, unless the check was racy. */
export interface FileStamp {
  dev: number
  ino: number
  /** An inode number alone is reused at once. 0 if the file system has no birth times. */
  birthtimeMs: number
  size: number
  /** With fractions, to about 0.25 microseconds. */
  mtimeMs: number
  ctimeMs: number
  uid: number
}

/** What is at a document's path and is no document: never followed, never opened. */
export type SkipReason = 'symlink' | 'folder' | 'fifo' | 'socket' | 'device' | 'unreadable' | 'too_large'

export type PathStat =
  | { kind: 'file'; stamp: FileStamp }
  | { kind: 'odd'; odd: SkipReason }
  | { kind: 'missing' }

/** Bytes with their stamp; the file did not change during the read. */
export interface FileContent {
  bytes: Buffer
  stamp: FileStamp
}

/** New bytes in `.workroom/tmp`, complete, to be placed. */
export interface Staged {
  name: string
  /** Placing keeps inode, size and mtime, not ctime. */
  stamp: FileStamp
}

export interface PlacedFile {
  stamp: FileStamp
  /** What was there, oldest first; more than one after a concurrent save. */
  displaced: Displaced[]
}

/** A replaced file, in `.workroom/tmp` until `discard`: an editor may have it open and continue to write. */
export interface Displaced {
  name: string
  /** When it was replaced; null if unknown. */
  stamp: FileStamp | null
  /** Whether the caller knew it; false if an editor had saved in between. */
  wasExpected: boolean
}

/** Paths within the home of files that were set aside and not replaced. */
export interface SetAside {
  restored: string[]
  notRestored: string[]
}

export interface FolderEntry {
  name: string
  stat: PathStat
}

/** Calls that may fail; tests pass in failing ones. A subset of `node:fs`. */
export type FileSystem = Pick<
  typeof import('node:fs'),
  | 'openSync'
  | 'closeSync'
  | 'readSync'
  | 'writeSync'
  | 'write'
  | 'fsync'
  | 'fstatSync'
  | 'futimesSync'
  | 'lstatSync'
  | 'linkSync'
  | 'symlinkSync'
  | 'readlinkSync'
  | 'renameSync'
  | 'unlinkSync'
  | 'mkdirSync'
  | 'rmdirSync'
  | 'readdirSync'
  | 'realpathSync'
>

export class DiskError extends Error {
  readonly errno: string
  /** Whether Workroom itself refused, or it concerns `.workroom`. */
  readonly isDeclined: boolean
  constructor(errno: string, message: string, options: ErrorOptions & { isDeclined?: boolean } = {}) {
    super(message, options)
    this.name = 'DiskError'
    this.errno = errno
    this.isDeclined = options.isDeclined ?? false
  }
}

/** A path that leaves the home, or has a name that is not legal everywhere. */
export class UnsafePathError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnsafePathError'
  }
}

export interface Tree {
  readonly home: string

  /** One `lstat` for each name, about 2 microseconds. Follows no link; one among the folders makes it `odd`. */
  stat(path: string): PathStat
  /** Like `stat`, shared by the requests that arrived together. Call it before awaiting anything. */
  statCached(path: string): PathStat
  /**
   * Reads a regular file, not through links, never blocking on a FIFO. Null if missing or odd.
   * @param seen its `stat`, if it was taken in this turn
   */
  read(path: string, seen?: PathStat): FileContent | null
  /** Sorted, without stats; null if the folder is missing, a link or unreadable. */
  names(path: string): string[] | null
  /** Sorted by name; null if the folder is missing, a link or unreadable. */
  list(path: string): FolderEntry[] | null
  /** Like `list`, with a lazy `stat` for each entry, so that a large folder can be listed in slices. */
  entries(path: string): Iterable<FolderEntry> | null
  /** Unchanged means that no entry was added, removed or renamed. */
  folderStamp(path: string): { ino: number; mtimeMs: number; ctimeMs: number } | null

  /** Writes bytes to `.workroom/tmp` and verifies their number. @throws DiskError; nothing remains */
  stage(bytes: Uint8Array): Staged
  /**
   * Places staged bytes, creating parents. What is there is set aside first, for the caller; the name is missing
   * for a moment, which no other code of this process can see.
   * @param expected what was last seen there; null for nothing
   * @throws DiskError with the old file in its place
   */
  place(staged: Staged, path: string, expected: FileStamp | null): PlacedFile
  /** Renames a file; refuses to replace another. @throws DiskError */
  move(from: string, to: string): FileStamp
  /** Places staged bytes where nothing is, creating parents; null if something is there. @throws DiskError */
  placeNew(staged: Staged, path: string): FileStamp | null
  /** Durably marks what is about to be placed at `path` as unconfirmed until `confirm`. @throws DiskError */
  markUnconfirmed(path: string): Promise<void>
  confirm(path: string): void
  unconfirmed(): string[]
  /** Removes a file or link (never its target). False if it was gone. */
  remove(path: string): boolean
  /** A newer save stays. @returns whether it was removed @throws DiskError with the file in its place */
  removeSeen(path: string, seen: FileStamp): boolean
  /** Whether a symbolic link is at the path, in real folders. False if unknown. */
  isLink(path: string): boolean
  /** Removes a symbolic link, never its target. False if there is none; nothing else is removed. */
  removeLink(path: string): boolean
  makeFolder(path: string): void
  /** Never fails. */
  removeEmptyFolder(path: string): void
  /** Replaces only an empty folder. @throws DiskError with everything as it was; `EXDEV` between file systems */
  moveFolder(from: string, to: string): void

  /** @returns the new stamp; null if the file has changed, or its times cannot be set @throws DiskError */
  setTime(path: string, expected: FileStamp, mtimeMs: number): FileStamp | null
  setFolderTime(path: string, mtimeMs: number): boolean

  /** Like `stat`, for files of any size, which are streamed. */
  statAnySize(path: string): PathStat
  /** With back-pressure; durable. @throws DiskError, or what `source` throws; nothing remains */
  receive(source: AsyncIterable<Uint8Array>): Promise<Staged>
  /** Fails if truncated meanwhile. @param range inclusive @returns null if the file has changed @throws DiskError */
  stream(path: string, stamp: FileStamp, range?: { start: number; end: number }): Readable | null

  staged(): Staged[]
  readStaged(name: string): FileContent | null
  /** Null if it is missing or unreadable. */
  stagedStamp(name: string): FileStamp | null
  /**
   * Puts back what a crash left set aside and not replaced. Must be called again once that is durable. Never throws
   * because of the disk.
   */
  restoreSetAside(): SetAside
  /** Never fails. */
  discard(name: string): void
  /** Makes a file or folder durable (fsync), with its name and those of the folders above. */
  flush(path: string): Promise<void>
  /** The first half of `flush`, for many files: their bytes. */
  flushContent(path: string): Promise<void>
  /** The second half, once for all files of a folder: the names in it. */
  flushName(path: string): Promise<void>
}

/** Where to look, not what happened. */
export interface Hint {
  path: string
  /** `moved`: an entry was created, renamed or removed. `written`: bytes were written in place. */
  kind: 'moved' | 'written'
}

export interface WatcherState {
  mode: 'watching' | 'polling'
  /** Why it cannot watch, with the command that fixes it; null if it can. */
  trouble: string | null
}

export interface Watcher {
  state(): WatcherState
  /** Starts again, with a new self-test; a hint for the watched folder then covers what was missed. */
  rewatch(): Promise<void>
  close(): Promise<void>
}

export interface HomeLock {
  release(): void
}
