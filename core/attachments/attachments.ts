import type { Attachment, DocumentRecord } from '../../data/tables/documents.ts'
import type { Caller, Member } from '../access/member.ts'
import { maySeeDraft, requireAttachmentAuthor, requireDeletion } from '../access/permissions.ts'
import type { AddressResolver } from '../documents/addressing/address-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { treeFolderFor, treePath } from '../documents/model/document-paths.ts'
import type { Address } from '../documents/model/types.ts'
import { commitOrUnavailable, writeUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { requireFileName } from '../files/file-names.ts'
import { requireInlineSize } from '../files/large-files.ts'
import { mediaTypeOf } from '../files/media-type.ts'
import {
  placeUnderAvailableName,
  removeAfterFailure,
  removeFile,
  withReceivedFile,
} from '../files/receive-file.ts'
import { fileForDownload } from '../files/served-file.ts'
import type { SignedLinks } from '../files/signed-links.ts'
import type { BeginUpload, ServedFile } from '../files/types.ts'
import { attachmentsFolder, findAttachmentFile } from './attachment-files.ts'

export interface AttachmentsDeps extends SharedDeps {
  signedLinks: SignedLinks
}

const maxAttachments = 100

interface AttachmentListItem extends Attachment {
  path: string
}

export type PostOrDraftAddress = Address & { folder: 'posts' | 'drafts' }

/** The files of a post or draft, kept in `attachments/<document id>/` until it is purged. */
export class Attachments {
  private readonly shared: AttachmentsDeps
  private readonly addressing: AddressResolver
  private readonly disk: DiskSync

  constructor(shared: AttachmentsDeps, deps: { addressing: AddressResolver; disk: DiskSync }) {
    this.shared = shared
    this.addressing = deps.addressing
    this.disk = deps.disk
  }

  async list(caller: Caller, address: PostOrDraftAddress): Promise<{ attachments: AttachmentListItem[] }> {
    const { record, project } = await this.addressing.require(caller, address, 'read')
    const path = `${treePath(project, record)}/attachments`
    return { attachments: record.attachments.map((file) => ({ ...file, path: `${path}/${file.id}` })) }
  }

  /** @throws WorkspaceError `too_large` above 20 MB, with a `downloadUrl` */
  async open(caller: Caller, address: PostOrDraftAddress, id: string): Promise<ServedFile> {
    const { record } = await this.addressing.require(caller, address, 'read')
    const attachment = requireAttachment(record, id)
    const target = {
      kind: 'attachment',
      memberId: caller.member.id,
      documentId: record.id,
      attachmentId: id,
    } as const
    return requireInlineSize(this.fileOf(record, attachment), () =>
      this.shared.signedLinks.sign(target, attachment.name),
    )
  }

  /** Opens the file of a link that was signed for this member. */
  openForDownloadLink(member: Member, documentId: string, id: string): ServedFile {
    const record = this.shared.catalogue.find(documentId)
    const isVisible = record && (record.kind !== 'draft' || maySeeDraft(member, record.authorId))
    if (!isVisible) throw new WorkspaceError('not_found', 'The document of this attachment no longer exists.')
    this.disk.requireUsable(this.shared.projects.require(member, record.projectId))
    return this.fileOf(record, requireAttachment(record, id))
  }

  /** A taken name becomes `name-2`. @throws WorkspaceError `invalid` for the name, or too many files */
  async add(caller: Caller, address: PostOrDraftAddress, begin: BeginUpload): Promise<Attachment> {
    const { id } = this.requireAttachable(
      caller,
      (await this.addressing.require(caller, address, 'write')).record,
    )
    const upload = await begin()
    const preferredName = requireFileName(upload.name)
    return withReceivedFile(this.shared.tree, upload.bytes, (staged) => {
      // During a long upload the document may have been renamed, published or deleted.
      const current = this.shared.catalogue.find(id)
      const folder = current?.kind === 'post' ? treeFolderFor.post : treeFolderFor.draft
      return this.addressing.withLockOnExisting(caller, { ...address, folder, name: id }, async (found) => {
        const { project, record } = found
        this.requireAttachable(caller, record)
        const attachmentFolder = attachmentsFolder(project, record.id)
        // A missing file keeps its name, so that links to it never serve other bytes.
        const reservedNames = record.attachments.map(({ name }) => name)
        const name = await placeUnderAvailableName(this.shared.tree, staged, attachmentFolder, {
          preferredName,
          reservedNames,
          isUnconfirmed: true,
        })
        const attachment = {
          id: this.shared.newId('att'),
          name,
          type: mediaTypeOf(name, upload.type),
          size: staged.stamp.size,
        }
        await this.updateAttachments(record, (attachments) => [...attachments, attachment]).catch(
          async (error) => {
            await removeAfterFailure(this.shared.tree, `${attachmentFolder}/${name}`)
            throw error
          },
        )
        this.shared.tree.confirm(`${attachmentFolder}/${name}`)
        return attachment
      })
    })
  }

  async remove(
    caller: Caller,
    address: PostOrDraftAddress,
    id: string,
  ): Promise<{ id: string; deleted: true }> {
    return this.addressing.withLockOnExisting(caller, address, async ({ record }) => {
      requireDeletion(caller.member, record.authorId, 'attachment')
      const attachment = requireAttachment(record, id)
      const path = findAttachmentFile(this.shared, record, attachment)
      if (path !== null) await this.markUnconfirmed(path)
      await this.updateAttachments(record, (attachments) => attachments.filter((other) => other.id !== id))
      if (path !== null) await this.removeFile(path)
      return { id, deleted: true }
    })
  }

  /** The attachment is deleted even if its file cannot be removed; `doctor` finds such files. */
  private async removeFile(path: string): Promise<void> {
    try {
      await removeFile(this.shared.tree, path)
    } catch (error) {
      this.shared.onProblem(`The deleted attachment ${path} is still on the disk: remove it by hand`, error)
    }
  }

  /** Lets the next start remove the file after a crash. */
  private async markUnconfirmed(path: string): Promise<void> {
    try {
      await this.shared.tree.markUnconfirmed(path)
    } catch (error) {
      throw writeUnavailableError(error)
    }
  }

  private async updateAttachments(
    record: DocumentRecord,
    change: (current: Attachment[]) => Attachment[],
  ): Promise<void> {
    const { metadata, database } = this.shared
    await commitOrUnavailable(database, () =>
      metadata.update(record.id, ({ attachments }) => ({ attachments: change(attachments) })),
    )
  }

  private requireAttachable({ member }: Caller, record: DocumentRecord): DocumentRecord {
    requireAttachmentAuthor(member, record.authorId)
    if (record.attachments.length < maxAttachments) return record
    throw new WorkspaceError(
      'invalid',
      `A post has at most ${maxAttachments} attachments. Put further files into library/files and link them.`,
    )
  }

  private fileOf(record: DocumentRecord, attachment: Attachment): ServedFile {
    const { tree, diskNow } = this.shared
    const path = findAttachmentFile(this.shared, record, attachment)
    const file = path === null ? null : fileForDownload(tree, path, attachment, diskNow())
    if (file) return file
    this.disk.requireMounted(this.shared.projects.find(record.projectId)!)
    throw new WorkspaceError(
      'not_found',
      `The file of the attachment ${attachment.name} is gone from the disk.`,
    )
  }
}

function requireAttachment({ attachments }: DocumentRecord, id: string): Attachment {
  const attachment = attachments.find((one) => one.id === id)
  if (attachment) return attachment
  throw new WorkspaceError('not_found', 'There is no such attachment here. GET …/attachments lists them.')
}
