import { statSync } from 'node:fs'

/** The file of an open database is no longer the one under its name: what is written to it is lost with this process. */
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

/**
 * Tells whether an open database is still the file under its name, by device and inode. It never opens the file: closing
 * it again would release the locks that SQLite holds for this process.
 */
export class DatabaseFileCheck {
  private readonly path: string
  private readonly opened: Inode | null
  /** The write-ahead log appears with the first write. */
  private openedLog: Inode | null

  /** @param path of a database that has just been opened */
  constructor(path: string) {
    this.path = path
    this.opened = identityOf(path)
    this.openedLog = identityOf(`${path}-wal`)
  }

  /** About 5 microseconds. @throws DatabaseMovedError */
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
    // The disk fails, which says nothing of the file; SQLite will say what it thinks of it.
    if (error instanceof Error && 'code' in error && error.code !== 'ENOENT' && error.code !== 'ENOTDIR')
      throw error
    return null
  }
}

const isSame = (one: Inode, other: Inode | null): boolean =>
  other !== null && one.dev === other.dev && one.ino === other.ino
