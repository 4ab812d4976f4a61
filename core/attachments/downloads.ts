import { WorkspaceError } from '../errors/workspace-error.ts'
import type { LibraryFiles } from '../files/library-files.ts'
import type { SignedLinks } from '../files/signed-links.ts'
import type { ServedFile } from '../files/types.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { RoomAttachments } from '../room-attachments/room-attachments.ts'
import type { Attachments } from './attachments.ts'

interface DownloadsDeps {
  links: SignedLinks
  members: MemberStore
  attachments: Pick<Attachments, 'openForDownloadLink'>
  files: Pick<LibraryFiles, 'openForDownloadLink'>
  roomFiles: Pick<RoomAttachments, 'openForDownloadLink'>
}

export class Downloads {
  constructor(private readonly deps: DownloadsDeps) {}

  /** @throws WorkspaceError `forbidden` for an expired link, or if its member may not see the file */
  open(token: string): ServedFile {
    const { links, members, attachments, files, roomFiles } = this.deps
    const target = links.verify(token)
    const member = members.find(target.memberId)
    if (member?.status !== 'active') {
      throw new WorkspaceError('forbidden', 'The member this link was issued to is deactivated.')
    }
    switch (target.kind) {
      case 'attachment':
        return attachments.openForDownloadLink(member, target.documentId, target.attachmentId)
      case 'room attachment':
        return roomFiles.openForDownloadLink(member, target.roomId, target.attachmentId)
      case 'file':
        return files.openForDownloadLink(member, target.projectId, target.path)
    }
  }
}
