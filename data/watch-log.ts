import { watch } from 'node:fs'

/** Reports writes by any process, unless the system's limit of watches is reached. Returns a function that stops it. */
export function watchLog(databasePath: string, onWrite: () => void): () => void {
  try {
    const watcher = watch(`${databasePath}-wal`, { persistent: false }, onWrite)
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  } catch {
    return () => {}
  }
}
