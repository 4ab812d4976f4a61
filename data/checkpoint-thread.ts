import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

/** PASSIVE copies what needs no waiting; TRUNCATE copies all, blocking writers for the last part. */
export type CheckpointMode = 'PASSIVE' | 'TRUNCATE'

/** An error as plain values, because one of SQLite loses its class and message on the way to another thread. */
export type CheckpointReply =
  | { isBusy: boolean; frames: number; copiedFrames: number }
  | { error: { message: string; code: string } }

const timeoutMs = 1000

const connection = new Sqlite(workerData as string, { fileMustExist: true, timeout: timeoutMs })
connection.pragma('synchronous = FULL')
parentPort!.on('message', (mode: CheckpointMode | 'close') => {
  if (mode === 'close') {
    connection.close()
    parentPort!.close()
  } else parentPort!.postMessage(checkpoint(mode))
})

function checkpoint(mode: CheckpointMode): CheckpointReply {
  try {
    const [row] = connection.pragma(`wal_checkpoint(${mode})`) as {
      busy: number
      log: number
      checkpointed: number
    }[]
    return { isBusy: row!.busy !== 0, frames: row!.log, copiedFrames: row!.checkpointed }
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error
    const { message, code } = error
    return { error: { message, code } }
  }
}
