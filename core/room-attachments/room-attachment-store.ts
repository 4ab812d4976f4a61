import { Signal } from '../../data/signal.ts'
import type { MessageRow } from '../../data/tables/messages.ts'
import type { RoomAttachmentRow, RoomAttachmentsTable } from '../../data/tables/room-attachments.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Clock } from '../time/clock.ts'

interface RoomAttachmentStoreDeps {
  clock: Pick<Clock, 'now'>
  memberships: Memberships
  roomAttachments: RoomAttachmentsTable
}

export type NewRoomAttachment = Pick<
  RoomAttachmentRow,
  'id' | 'roomId' | 'name' | 'type' | 'size' | 'uploadedBy'
>

/** `docs/interface.md#limits` */
export const unusedForMs = 30 * 24 * 60 * 60 * 1000

/** For each member in each room. */
const maxUnused = 100

/** Further links of a message are not followed. */
const maxLinked = 100

const attachmentId = /\batt_[0-9a-z]{26}\b/g

/** An attachment belongs to the first message that links to it, and is deleted with it. Checks no caller. */
export class RoomAttachmentStore {
  private readonly due = new Signal<number>()

  constructor(private readonly deps: RoomAttachmentStoreDeps) {}

  /** Calls `listener` with the time at which files may have to be removed. */
  onDue(listener: (dueMs: number) => void): void {
    this.due.listen(listener)
  }

  findIn(room: Pick<RoomRow, 'id'>, id: string): RoomAttachmentRow | null {
    const row = this.deps.roomAttachments.find(id)
    return row?.roomId === room.id && row.deletedMs === null ? row : null
  }

  /** Null if there is none, or the member is not in the room. */
  findFor(member: Member, roomIdOrSlug: string, id: string): RoomAttachmentRow | null {
    const { memberships } = this.deps
    const room = memberships.find(roomIdOrSlug)
    return room && memberships.isIn(room, member) ? this.findIn(room, id) : null
  }

  requireCapacity(room: Pick<RoomRow, 'id'>, { id }: Member): void {
    if (this.deps.roomAttachments.countUnused(room.id, id) < maxUnused) return
    throw new WorkspaceError(
      'invalid',
      `You have uploaded ${maxUnused} files to this room that no message links to. Send a message with links to them, or delete some.`,
    )
  }

  add(attachment: NewRoomAttachment): void {
    const unusedMs = this.deps.clock.now()
    this.deps.roomAttachments.insert({ ...attachment, messageId: null, unusedMs, deletedMs: null })
    this.due.emit(unusedMs + unusedForMs + 1)
  }

  /** Keeps what a new or changed message links to for as long as the message. */
  followLinks({ id: messageId, roomId }: Pick<MessageRow, 'id' | 'roomId'>, body: string): void {
    const { clock, roomAttachments } = this.deps
    const linked = new Set(body.match(attachmentId)?.slice(0, maxLinked))
    for (const { id } of roomAttachments.ofMessage(messageId)) {
      if (linked.has(id)) continue
      roomAttachments.unlink(id, clock.now())
      this.due.emit(clock.now() + unusedForMs + 1)
    }
    for (const id of linked) {
      if (this.findIn({ id: roomId }, id)?.messageId === null) roomAttachments.link(id, messageId)
    }
  }

  remove({ id }: Pick<RoomAttachmentRow, 'id'>): void {
    this.emitDue(this.deps.roomAttachments.markDeleted(id, this.deps.clock.now()))
  }

  removeOfMessage(messageId: string): void {
    this.emitDue(this.deps.roomAttachments.markDeletedOfMessage(messageId, this.deps.clock.now()))
  }

  removeOfRoom(roomId: string): void {
    this.emitDue(this.deps.roomAttachments.markDeletedOfRoom(roomId, this.deps.clock.now()))
  }

  removeOfProject(projectId: string): void {
    this.emitDue(this.deps.roomAttachments.markDeletedOfProject(projectId, this.deps.clock.now()))
  }

  private emitDue(count: number): void {
    if (count > 0) this.due.emit(this.deps.clock.now())
  }
}
