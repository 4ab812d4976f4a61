import { parentPort, workerData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

/** What a checkpoint is asked for: as much as needs no waiting, or all of it, with writers kept out for its last part. */
export type CheckpointMode = 'PASSIVE' | 'TRUNCATE'

export type CheckpointReply = { isBusy: boolean; frames: number; copiedFrames: number } | { error: Error }

/** How long it waits for a writer or a reader that is in its way. */
const timeoutMs = 1000

/** The entry of a thread that copies the write-ahead log of `workerData` into the database, once for each mode that it is sent. */
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
    return { error: error as Error }
  }
}
