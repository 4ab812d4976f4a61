import { statSync } from 'node:fs'

/** The open file is no longer the one with its name: what is written to it will be lost. */
export class DatabaseMovedError extends Error {
  readonly code = 'DATABASE_MOVED'

  constructor() {
    super('The database file was deleted or replaced while it was open.')
    this.name = 'DatabaseMovedError'
  }
}

interface Inode {
  dev: number
  ino: number
}

/** Compares device and inode; never opens the file, since closing it would release SQLite's locks. */
export class DatabaseFileCheck {
  private readonly path: string
  private readonly opened: Inode | null
  /** Null until the first write creates the write-ahead log. */
  private openedLog: Inode | null

  constructor(path: string) {
    this.path = path
    this.opened = identityOf(path)
    this.openedLog = identityOf(`${path}-wal`)
  }

  /** Takes about 5 microseconds. */
  requireSame(): void {
    if (this.opened === null) return
    if (!isSame(this.opened, identityOf(this.path))) throw new DatabaseMovedError()
    const log = identityOf(`${this.path}-wal`)
    this.openedLog ??= log
    if (this.openedLog !== null && !isSame(this.openedLog, log)) throw new DatabaseMovedError()
  }
}

function identityOf(path: string): Inode | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    // If the disk fails, SQLite reports it.
    if (error instanceof Error && 'code' in error && error.code !== 'ENOENT' && error.code !== 'ENOTDIR')
      throw error
    return null
  }
}

const isSame = (one: Inode, other: Inode | null): boolean =>
  other !== null && one.dev === other.dev && one.ino === other.ino
