import type { Database } from '../../data/database.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { RoomAttachmentStore } from '../room-attachments/room-attachment-store.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import type { MessageStore } from './message-store.ts'

interface DeletedRoomsDeps {
  attachments: Pick<RoomAttachmentStore, 'removeOfRoom'>
  clock: Clock
  database: Database
  messages: MessageStore
  messageRows: Pick<MessagesTable, 'undeleted' | 'lastPlace'>
  rooms: Pick<RoomsTable, 'notEmptied' | 'setEmptied'>
  onProblem: (message: string, error: unknown) => void
}

const placesPerRead = 2000
/** Few enough not to delay writers. */
const messagesPerCommit = 50

/** Deletes the messages of deleted rooms. The next start continues what a stop interrupts. */
export class DeletedRooms {
  private readonly deps: DeletedRoomsDeps
  private readonly timer: DueTimer
  private isStopped = false

  constructor(deps: DeletedRoomsDeps) {
    this.deps = deps
    this.timer = new DueTimer(
      deps.clock,
      () => this.emptyAll(),
      (error) =>
        deps.onProblem('Messages of a deleted room could not be deleted; this is tried again', error),
    )
  }

  /** Must be called when the workspace opens, and after a room was deleted. */
  start(): void {
    void this.timer.start()
  }

  stop(): Promise<void> {
    this.isStopped = true
    return this.timer.stop()
  }

  private async emptyAll(): Promise<null> {
    for (const room of this.deps.rooms.notEmptied()) await this.empty(room)
    return null
  }

  private async empty({ id, deletedBy }: { id: string; deletedBy: string }): Promise<void> {
    const { attachments, database, messageRows, messages, rooms } = this.deps
    const last = messageRows.lastPlace()
    for (let after = 0; after < last; after += placesPerRead) {
      const rows = messageRows.undeleted(id, { after, upTo: after + placesPerRead })
      for (let start = 0; start < rows.length; start += messagesPerCommit) {
        if (this.isStopped) return
        const next = rows.slice(start, start + messagesPerCommit)
        await database.commit(() => {
          for (const row of next) messages.remove(row, deletedBy)
        })
      }
    }
    await database.commit(() => {
      attachments.removeOfRoom(id)
      rooms.setEmptied(id)
    })
  }
}
