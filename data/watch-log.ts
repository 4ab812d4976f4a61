import { watch } from 'node:fs'

/**
 * Tells of writes to the write-ahead log of a database, by this or another process. Without such events, for instance
 * where the system's limit is reached, it tells nothing.
 * @returns ends it
 */
export function watchLog(databasePath: string, onWrite: () => void): () => void {
  try {
    const watcher = watch(`${databasePath}-wal`, { persistent: false }, onWrite)
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  } catch {
    return () => {}
  }
}
