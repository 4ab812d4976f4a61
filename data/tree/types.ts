import type { Readable } from 'node:stream'

/**
 * The disk, as `core` sees it. Every path is relative to the home, with `/` between its names
 * (`projects/general/documents/plan.md`), and is joined to the home in one place, which refuses what leaves it.
 */

/** What a `stat` says of a regular file. Two equal stamps are the same bytes, unless the look was racy. */
export interface FileStamp {
  dev: number
  ino: number
  /** Birth time: an inode number alone is handed to the next file at once. 0 where the file system has none. */
  birthtimeMs: number
  size: number
  /** With fractions, to about 0.25 microseconds. */
  mtimeMs: number
  ctimeMs: number
  uid: number
}

/** Something under a document's name that is no document: never followed, never opened. */
export type SkipReason = 'symlink' | 'folder' | 'fifo' | 'socket' | 'device' | 'unreadable' | 'too_large'

export type PathStat =
  | { kind: 'file'; stamp: FileStamp }
  | { kind: 'odd'; odd: SkipReason }
  | { kind: 'missing' }

/** Bytes with the stamp that they had; the file did not change while it was read. */
export interface FileContent {
  bytes: Buffer
  stamp: FileStamp
}

/** New bytes, complete and checked, waiting in `.workroom/tmp` for their place. */
export interface Staged {
  /** Name within `.workroom/tmp`. */
  name: string
  /** Inode, size and mtime stay the same when it is put in place; ctime does not. */
  stamp: FileStamp
}

export interface PlacedFile {
  stamp: FileStamp
  /** What stood there, oldest first; one, unless somebody saved while it was being replaced. */
  displaced: Displaced[]
}

/**
 * A file that another has taken the place of, in `.workroom/tmp` until `discard`: whoever had it open may still be
 * writing to it.
 */
export interface Displaced {
  /** As `displacedBy` gives it. */
  name: string
  /** As it was when its place was taken; null where that could not be seen. */
  stamp: FileStamp | null
  /** Whether it was then what the caller had seen there last; false where an editor had saved in between. */
  wasExpected: boolean
}

/** Paths, within the home, of files that were set aside and not replaced. */
export interface SetAside {
  restored: string[]
  /** What cannot be put back now. */
  notRestored: string[]
}

export interface FolderEntry {
  name: string
  stat: PathStat
}

/** Calls that may fail on a bad day; a test hands in ones that do. Subset of `node:fs`, with its signatures. */
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

/** A failure of the disk: a full disk, a refused permission, an I/O error. */
export class DiskError extends Error {
  /** `ENOSPC`, `EACCES`, `EIO`, … */
  readonly errno: string
  /** Whether it happened in the server's own folder, `.workroom`, where nobody else is meant to put anything. */
  readonly isDeclined: boolean
  constructor(errno: string, message: string, options: ErrorOptions & { isDeclined?: boolean } = {}) {
    super(message, options)
    this.name = 'DiskError'
    this.errno = errno
    this.isDeclined = options.isDeclined ?? false
  }
}

/** A path that must not be joined: it leaves the home, or has a name that is not legal everywhere. */
export class UnsafePathError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnsafePathError'
  }
}

export interface Tree {
  /** Absolute path of the home. */
  readonly home: string

  /** One `lstat` per name in the path, about 2 microseconds each. Never follows a link. A folder on the way that is a link makes it `odd`. */
  stat(path: string): PathStat
  /**
   * Like `look`, for requests that are handed over together: the file and the folders above it are looked at once for
   * all of them, and so never before any of them was sent. To be called before anything is awaited.
   */
  statCached(path: string): PathStat
  /** Reads a regular file whole (not through links, never blocking on a FIFO). Null when missing or odd. */
  read(path: string): FileContent | null
  /** The names in a folder as Node shows them, sorted; null when the folder is missing, a link or unreadable. Nothing is looked at. */
  names(path: string): string[] | null
  /** The entries of a folder, sorted by name; null when the folder is missing, a link or unreadable. */
  list(path: string): FolderEntry[] | null
  /** Like `list`, but an entry is looked at when it is asked for: a large folder need not be looked at in one go. */
  entries(path: string): Iterable<FolderEntry> | null
  /** mtime and ctime of a folder: unchanged means that nothing was added, removed or renamed in it. */
  folderStamp(path: string): { ino: number; mtimeMs: number; ctimeMs: number } | null

  /** Writes bytes to `.workroom/tmp` and checks that all of them arrived. @throws DiskError with nothing left behind */
  stage(bytes: Uint8Array): Staged
  /** Puts staged bytes in place, parents made as needed. `expected`: what was last seen there (null: nothing).
   *  What stands there is set aside first, and kept for the caller; for a moment the name is missing, which no other code
   *  of this process can see. @throws DiskError with the old file in its place */
  place(staged: Staged, path: string, expected: FileStamp | null): PlacedFile
  /** Renames a file without touching its bytes; refuses to replace another. @throws DiskError */
  move(from: string, to: string): FileStamp
  /** Puts staged bytes in place where nothing is, parents made as needed; null where something is. @throws DiskError */
  placeNew(staged: Staged, path: string): FileStamp | null
  /**
   * Says, durably, that what is about to be placed at `path` is nobody's until `confirm`: after a crash in between
   * `unconfirmed` tells of it. @throws DiskError
   */
  markUnconfirmed(path: string): Promise<void>
  /** What was announced is somebody's now, or is gone. */
  confirm(path: string): void
  /** Where a crash has left files that were never confirmed, if they were made at all. */
  unconfirmed(): string[]
  /** Removes a file or link (never its target). False when it was gone already. */
  remove(path: string): boolean
  /**
   * Removes a file that is as it was when it was seen. What somebody has saved there since stays.
   * @returns whether it was removed. @throws DiskError with the file in its place
   */
  removeSeen(path: string, seen: FileStamp): boolean
  /** Whether a symbolic link lies there itself, in folders that are real ones. False where that cannot be seen. */
  isLink(path: string): boolean
  /** Removes a symbolic link, never its target. False when no link lies there itself; anything else is left alone. */
  removeLink(path: string): boolean
  /** Makes a folder and its parents. */
  makeFolder(path: string): void
  /** Removes a folder if it is empty; never fails. */
  removeEmptyFolder(path: string): void
  /**
   * Renames a folder with all that is in it, in one step; refuses to replace anything but an empty folder.
   * @throws DiskError with everything as it was; `EXDEV` where the two places are on different file systems
   */
  moveFolder(from: string, to: string): void

  /**
   * Sets when a file was changed last, and none of its bytes. @param mtimeMs Unix milliseconds
   * @returns its stamp then; null where the file that had this stamp is there no more, or its times are not ours to set
   * @throws DiskError
   */
  setTime(path: string, expected: FileStamp, mtimeMs: number): FileStamp | null
  /** The same for a folder. @returns whether it was set */
  setFolderTime(path: string, mtimeMs: number): boolean

  /** Like `look`, for files of any size: those that are streamed and never read into memory. */
  statAnySize(path: string): PathStat
  /**
   * Writes bytes to `.workroom/tmp` as they come, waiting for the disk rather than gathering them in memory, and makes
   * them durable. @throws DiskError, or what `source` throws, with nothing left behind
   */
  receive(source: AsyncIterable<Uint8Array>): Promise<Staged>
  /**
   * The bytes of a regular file, or a part of them, as they are asked for. The stream fails where the file is cut off meanwhile.
   * @param range first and last byte, both included
   * @returns null where the file that had this stamp is there no more. @throws DiskError
   */
  stream(path: string, stamp: FileStamp, range?: { start: number; end: number }): Readable | null

  /** What lies in `.workroom/tmp`, ours alone. */
  staged(): Staged[]
  readStaged(name: string): FileContent | null
  /** Of a staged or displaced file; null when it is not there, or cannot be looked at. */
  stagedStamp(name: string): FileStamp | null
  /**
   * Puts back what a crash has left set aside while nothing had taken its place yet. To be called again once what came back
   * is durable. Never throws for the disk's sake.
   */
  restoreSetAside(): SetAside
  /** Removes a staged or displaced file; never fails. */
  discard(name: string): void
  /** Makes a file or folder durable (fsync), with its name and those of the folders above it. Async, off the answering thread. */
  flush(path: string): Promise<void>
}

/** Says where to look; never what happened. */
export interface Hint {
  /** A file or folder, relative to the home. */
  path: string
  /**
   * `moved`: an entry appeared or vanished whole (a rename, a create, a delete).
   * `written`: bytes were written in place.
   */
  kind: 'moved' | 'written'
}

export interface WatcherState {
  mode: 'watching' | 'polling'
  /** Why it cannot watch, in words, and the command that mends it; null while it can. */
  trouble: string | null
}

export interface Watcher {
  state(): WatcherState
  /** Starts over, with a new self-test; a hint then names the watched folder itself, for what was not seen meanwhile. */
  rewatch(): Promise<void>
  close(): Promise<void>
}

/** The sole right to serve a home, held until `release` or the end of the process. */
export interface HomeLock {
  release(): void
}
