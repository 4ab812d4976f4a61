import { parentPort, workerData } from 'node:worker_threads'
import { openForReading } from '../../data/reading-connection.ts'
import { searchReader } from '../../data/tables/search.ts'
import { type EntrySearch, type FoundEntry, findEntries } from './find-entries.ts'

export type ThreadRequest = ({ id: number } & EntrySearch) | 'close'

export type ThreadReply = { id: number } & ({ found: FoundEntry[] } | { error: Error })

const connection = openForReading(workerData as string)
const reader = searchReader(connection)
parentPort!.on('message', (request: ThreadRequest) => {
  if (request === 'close') {
    connection.close()
    parentPort!.close()
    return
  }
  const { id } = request
  const reply = (answer: ThreadReply) => parentPort!.postMessage(answer)
  findEntries(reader, request).then(
    (found) => reply({ id, found }),
    (error) => reply({ id, error }),
  )
})
