import type { Readable } from 'node:stream'

// Paths are relative to the home, with `/`. All methods throw UnsafePathError for others.

/** Equal stamps mean equal bytes, unless the check was racy. */
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

/** Why a document's path is no document. It is then never followed or opened. */
export type SkipReason = 'symlink' | 'folder' | 'fifo' | 'socket' | 'device' | 'unreadable' | 'too_large'

export type PathStat =
  | { kind: 'file'; stamp: FileStamp }
  | { kind: 'skipped'; reason: SkipReason }
  | { kind: 'missing' }

export interface FileContent {
  bytes: Buffer
  stamp: FileStamp
}

export interface Staged {
  name: string
  /** Placing keeps inode, size and mtime, not ctime. */
  stamp: FileStamp
}

export interface PlacedFile {
  stamp: FileStamp
  /** Oldest first; more than one after a concurrent save. */
  displaced: Displaced[]
}

/** Stays in `.workroom/tmp` until `discard`: an editor may have the file open and continue to write. */
export interface Displaced {
  name: string
  /** As of its replacement; null if unknown. */
  stamp: FileStamp | null
  /** False if an editor had saved in between. */
  wasExpected: boolean
}

export interface RestoredFiles {
  restored: string[]
  notRestored: string[]
}

export interface FolderEntry {
  name: string
  stat: PathStat
}

/** Calls that may fail; tests pass in failing ones. */
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
  /** Whether the path is in `.workroom`, which no request names. */
  readonly isInternal: boolean
  constructor(errno: string, message: string, options: ErrorOptions & { isInternal?: boolean } = {}) {
    super(message, options)
    this.name = 'DiskError'
    this.errno = errno
    this.isInternal = options.isInternal ?? false
  }
}

export class UnsafePathError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnsafePathError'
  }
}

export interface Tree {
  readonly home: string

  /** About 2 microseconds for each name. A link among the folders makes the file `skipped`. */
  stat(path: string): PathStat
  /** Like `stat`, shared by the requests that arrived together. Must be called before anything is awaited. */
  statCached(path: string): PathStat
  /** Null if missing or skipped. `seen` is its `stat`, if taken in this turn. */
  read(path: string, seen?: PathStat): FileContent | null
  /** Sorted; null if the folder is missing, a link or unreadable, as for the next two. */
  names(path: string): string[] | null
  list(path: string): FolderEntry[] | null
  /** Like `list`, with lazy stats, so that a large folder can be listed in slices. */
  entries(path: string): Iterable<FolderEntry> | null
  /** Unchanged means that no entry was added, removed or renamed. */
  folderStamp(path: string): { ino: number; mtimeMs: number; ctimeMs: number } | null

  /** Verifies the number of bytes. @throws DiskError; nothing remains */
  stage(bytes: Uint8Array): Staged
  /**
   * An existing file is set aside first, for the caller. Its name is missing for a moment, which no other
   * code of this process can see.
   * @param options `isJournaled`: the next start after a crash completes the write, so the file that was set
   * aside needs no link to its origin. Default false
   * @throws DiskError with the old file at its path
   */
  place(
    staged: Staged,
    path: string,
    expected: FileStamp | null,
    options?: { isJournaled?: boolean },
  ): PlacedFile
  /** Never replaces a file. @throws DiskError */
  move(from: string, to: string): FileStamp
  /** Null if the path is taken. @throws DiskError */
  placeNew(staged: Staged, path: string): FileStamp | null
  /** Durable. The mark remains until `confirm`. @throws DiskError */
  markUnconfirmed(path: string): Promise<void>
  confirm(path: string): void
  unconfirmed(): string[]
  /** Removes a file or link, never its target. False if it was gone. */
  remove(path: string): boolean
  /** Keeps a newer save. @throws DiskError with the file at its path */
  removeIfUnchanged(path: string, expected: FileStamp): boolean
  isLink(path: string): boolean
  removeLink(path: string): boolean
  makeFolder(path: string): void
  /** Never fails. */
  removeEmptyFolder(path: string): void
  /** Replaces only an empty folder. @throws DiskError; nothing has changed; `EXDEV` between file systems */
  moveFolder(from: string, to: string): void

  /** Null if the file has changed, or its times cannot be set. @throws DiskError */
  setTime(path: string, expected: FileStamp, mtimeMs: number): FileStamp | null
  setFolderTime(path: string, mtimeMs: number): boolean

  statAnySize(path: string): PathStat
  /** Durable. @throws DiskError, or what `source` throws; nothing remains */
  receive(source: AsyncIterable<Uint8Array>): Promise<Staged>
  /** Null if the file has changed; fails if it is truncated meanwhile. The range is inclusive. */
  stream(path: string, stamp: FileStamp, range?: { start: number; end: number }): Readable | null

  staged(): Staged[]
  readStaged(name: string): FileContent | null
  stagedStamp(name: string): FileStamp | null
  /** Restores what a crash left set aside. Must be called again once that is durable. Never throws DiskError. */
  restoreSetAside(): RestoredFiles
  /** Never fails. */
  discard(name: string): void
  /** Makes a file or folder durable (fsync), with its name and those of the folders above. */
  flush(path: string): Promise<void>
  /** The bytes alone, for many files. */
  flushContent(path: string): Promise<void>
  /** The names in a folder, once for all its files. */
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
  problem: string | null
}

export interface Watcher {
  state(): WatcherState
  /** Starts again, with a new self-test. A hint for the watched folder then covers what was missed. */
  rewatch(): Promise<void>
  close(): Promise<void>
}

export interface HomeLock {
  release(): void
}
