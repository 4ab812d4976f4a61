import type { Database } from '../../data/database.ts'
import type { RoomAttachmentRow } from '../../data/tables/room-attachments.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Tree } from '../../data/tree/index.ts'
import type { Caller, Member } from '../access/member.ts'
import { isAdmin, requireDeletion, requireScope } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { requireFileName } from '../files/file-names.ts'
import { requireInlineSize } from '../files/large-files.ts'
import { mediaTypeOf } from '../files/media-type.ts'
import { placeUnderAvailableName, withReceivedFile } from '../files/receive-file.ts'
import { fileForDownload } from '../files/served-file.ts'
import type { SignedLinks } from '../files/signed-links.ts'
import type { BeginUpload, ServedFile } from '../files/types.ts'
import type { NewId } from '../ids.ts'
import { roomAttachmentTreePath } from '../paths.ts'
import { requireUnarchived } from '../room-members/archiving.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { removeUnrecorded, roomAttachmentFolder, roomAttachmentPath } from './room-attachment-files.ts'
import type { NewRoomAttachment, RoomAttachmentStore } from './room-attachment-store.ts'

interface RoomAttachmentsDeps {
  attachments: RoomAttachmentStore
  database: Database
  diskNow: () => number
  memberships: Memberships
  newId: NewId
  signedLinks: SignedLinks
  tree: Tree
}

export interface RoomAttachmentView extends Pick<RoomAttachmentRow, 'id' | 'name' | 'type' | 'size'> {
  /** What a message links to. */
  path: string
}

/**
 * The files of rooms, for those who are in them. Every call throws WorkspaceError `not_found` for a room or attachment that
 * does not exist, and `forbidden` if the caller is not in the room.
 */
export class RoomAttachments {
  constructor(private readonly deps: RoomAttachmentsDeps) {}

  /** Durable. @throws WorkspaceError `invalid` for the name, or too many files that no message links to */
  async add(caller: Caller, idOrSlug: string, begin: BeginUpload): Promise<RoomAttachmentView> {
    const { id: roomId } = this.requireUploadRoom(caller, idOrSlug)
    const { name: sentName, type, bytes } = await begin()
    const name = requireFileName(sentName)
    return withReceivedFile(this.deps.tree, bytes, async (staged) => {
      const { tree, newId } = this.deps
      const attachment = {
        id: newId('att'),
        roomId,
        name,
        type: mediaTypeOf(name, type),
        size: staged.stamp.size,
        uploadedBy: caller.member.id,
      }
      const path = roomAttachmentPath(attachment)
      try {
        const options = { preferredName: name, isUnconfirmed: true }
        await placeUnderAvailableName(tree, staged, roomAttachmentFolder(attachment), options)
        await this.record(caller, attachment)
      } catch (error) {
        await removeUnrecorded(tree, path)
        throw error
      }
      tree.confirm(path)
      return viewOf(attachment)
    })
  }

  /** @throws WorkspaceError `too_large` above 20 MB, with a `downloadUrl` */
  open(caller: Caller, idOrSlug: string, id: string): ServedFile {
    requireScope(caller, 'rooms:read')
    const { memberships, signedLinks } = this.deps
    const room = memberships.requireIn(caller.member, idOrSlug)
    const { name } = this.require(room, id)
    return requireInlineSize(this.fileOf(room, id), () =>
      signedLinks.sign(
        { kind: 'room attachment', memberId: caller.member.id, roomId: room.id, attachmentId: id },
        name,
      ),
    )
  }

  openForDownloadLink(member: Member, roomId: string, id: string): ServedFile {
    return this.fileOf(this.deps.memberships.requireIn(member, roomId), id)
  }

  /** Messages that link to the attachment stay. Its uploader may have left the room. */
  async remove(caller: Caller, idOrSlug: string, id: string): Promise<{ id: string; deleted: true }> {
    requireScope(caller, 'rooms:write')
    const { attachments, database, memberships } = this.deps
    const { member } = caller
    await commitOrUnavailable(database, () => {
      const room = memberships.require(idOrSlug)
      // No other member outside the room may learn what is in it.
      const mayHaveLeft = isAdmin(member) || attachments.findIn(room, id)?.uploadedBy === member.id
      if (!mayHaveLeft) memberships.requireIn(member, room.id)
      const attachment = this.require(room, id)
      requireDeletion(member, attachment.uploadedBy, 'attachment')
      requireUnarchived(room)
      attachments.remove(attachment)
    })
    return { id, deleted: true }
  }

  /** Checks again, because the caller may have left the room during a long upload. */
  private record(caller: Caller, attachment: NewRoomAttachment): Promise<void> {
    return commitOrUnavailable(this.deps.database, () => {
      this.requireUploadRoom(caller, attachment.roomId)
      this.deps.attachments.add(attachment)
    })
  }

  private requireUploadRoom(caller: Caller, idOrSlug: string): RoomRow {
    requireScope(caller, 'rooms:write')
    const room = this.deps.memberships.requireIn(caller.member, idOrSlug)
    requireUnarchived(room)
    this.deps.attachments.requireCapacity(room, caller.member)
    return room
  }

  private require(room: RoomRow, id: string): RoomAttachmentRow {
    const attachment = this.deps.attachments.findIn(room, id)
    if (attachment) return attachment
    throw new WorkspaceError(
      'not_found',
      'There is no such attachment in this room. It may have been deleted, with its message or by itself.',
    )
  }

  private fileOf(room: RoomRow, id: string): ServedFile {
    const { diskNow, tree } = this.deps
    const attachment = this.require(room, id)
    const file = fileForDownload(tree, roomAttachmentPath(attachment), attachment, diskNow())
    if (file) return file
    throw new WorkspaceError(
      'not_found',
      `The file of the attachment ${attachment.name} is gone from the disk.`,
    )
  }
}

const viewOf = ({ id, name, type, size, roomId }: NewRoomAttachment): RoomAttachmentView => ({
  id,
  name,
  type,
  size,
  path: roomAttachmentTreePath(roomId, id),
})
