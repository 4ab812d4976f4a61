import { posix } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Caller } from '../access/member.ts'
import { hasScope, mayReadProject } from '../access/permissions.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import { kindInFolder } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import { filesFolder } from '../files/library-files.ts'
import { mediaTypeOf } from '../files/media-type.ts'
import type { LinkTarget, SignedLinks } from '../files/signed-links.ts'
import { findFile } from '../files/walk.ts'
import { isDownloadPath } from '../paths.ts'
import type { RoomAttachmentStore } from '../room-attachments/room-attachment-store.ts'
import { percentDecode } from '../text/percent-decode.ts'
import { localUrl } from './local-url.ts'

type FileDeps = Pick<SharedDeps, 'catalogue' | 'clock' | 'projects' | 'tree'> & {
  signedLinks: SignedLinks
  attachmentStore: Pick<RoomAttachmentStore, 'findFor'>
}

export interface FileUrl {
  href: string
  name: string
  isPicture: boolean
  /** In bytes; null if unknown. Stats a file of the library. */
  size(): number | null
}

export type LinkingDocument = Pick<
  DocumentRecord,
  'id' | 'projectId' | 'kind' | 'path' | 'authorId' | 'attachments'
>

/** How long a reader gets the same URL of a file, so that browsers can cache it. */
const urlStableMs = 30 * 60 * 1000
const maxCachedUrls = 10_000

/** A resolved link, before it is signed for the reader. */
type ResolvedFile = { target: LinkTarget; name: string; size: FileUrl['size'] }

/** URLs of the attachments and library files that documents show and link to. */
export class FileUrls {
  private readonly deps: FileDeps
  private readonly urlCache: LRUCache<string, string>

  constructor(deps: FileDeps) {
    this.deps = deps
    this.urlCache = new LRUCache({
      max: maxCachedUrls,
      ttl: urlStableMs,
      ttlResolution: 0,
      perf: { now: () => deps.clock.now() },
    })
  }

  /**
   * Existence and permission are checked when the file is loaded. @param source null for a message
   * @param path relative to the document's folder, the name of an attachment, or a tree path
   */
  find(caller: Caller, source: LinkingDocument | null, path: string): FileUrl | null {
    const clean = percentDecode(path.replace(/[?#].*$/s, ''))
    if (!clean) return null
    if (isDownloadPath(clean)) return fileUrl(path, { name: posix.basename(clean), size: () => null })
    const file = clean.startsWith('/')
      ? this.findInTree(caller, source, clean)
      : source && this.siblingFile(caller, source, clean)
    return file && fileUrl(this.sign(file), file)
  }

  /** By name alone, as other programs write it: an attachment, or a path in the library's files. */
  byName(caller: Caller, source: LinkingDocument, name: string): FileUrl | null {
    const file = this.attachment(caller, source, name) ?? this.libraryFile(caller, source.projectId, name)
    return file && fileUrl(this.sign(file), file)
  }

  private findInTree(caller: Caller, source: LinkingDocument | null, path: string): ResolvedFile | null {
    const [, room, attachmentId] = /^\/v1\/fs\/rooms\/([^/]+)\/attachments\/([^/]+)$/.exec(path) ?? []
    if (room !== undefined) return this.roomAttachment(caller, room, attachmentId!)
    const [, slug, folder, rest] =
      /^\/v1\/fs\/projects\/([^/]+)\/(library\/files|artifacts|posts|drafts)\/(.+)$/.exec(path) ?? []
    const project = slug === undefined ? null : this.deps.projects.find(slug)
    if (!project || rest === undefined) return null
    if (folder !== 'posts' && folder !== 'drafts') return this.libraryFile(caller, project.id, rest)
    const [, name, id] = /^([^/]+)\/attachments\/([^/]+)$/.exec(rest) ?? []
    if (name === undefined || id === undefined) return null
    const options = folder === 'drafts' ? { authorId: caller.member.id } : {}
    // References to a draft refer to the post that it became.
    const record =
      this.deps.catalogue.resolve(project.id, kindInFolder[folder], name, options) ??
      (source?.projectId === project.id ? source : null)
    return record && this.attachment(caller, record, id)
  }

  private siblingFile(caller: Caller, source: LinkingDocument, path: string): ResolvedFile | null {
    const attached = this.attachment(caller, source, path.replace(/^(?:\.\/)?(?:attachments\/)?/, ''))
    if (attached) return attached
    const projectPath = posix.join(posix.dirname(source.path), path)
    const [, documentId, name] = /^attachments\/([^/]+)\/([^/]+)$/.exec(projectPath) ?? []
    if (documentId !== undefined) {
      const record = this.deps.catalogue.find(documentId)
      return record && this.attachment(caller, record, name!)
    }
    return projectPath.startsWith('files/')
      ? this.libraryFile(caller, source.projectId, projectPath.slice('files/'.length))
      : null
  }

  private attachment(caller: Caller, record: LinkingDocument, idOrName: string): ResolvedFile | null {
    const { attachments } = record
    const attachment =
      attachments.find(({ id }) => id === idOrName) ?? attachments.find(({ name }) => name === idOrName)
    if (!attachment || !mayRead(caller, record, this.deps.projects)) return null
    const { id, name, size } = attachment
    return {
      target: { kind: 'attachment', memberId: caller.member.id, documentId: record.id, attachmentId: id },
      name,
      size: () => size,
    }
  }

  private roomAttachment(caller: Caller, room: string, id: string): ResolvedFile | null {
    const { member } = caller
    const row = hasScope(caller, 'rooms:read') ? this.deps.attachmentStore.findFor(member, room, id) : null
    if (!row) return null
    const { name, roomId, size } = row
    return {
      target: { kind: 'room attachment', memberId: member.id, roomId, attachmentId: id },
      name,
      size: () => size,
    }
  }

  private libraryFile(caller: Caller, projectId: string, path: string): ResolvedFile | null {
    const { member } = caller
    if (!hasScope(caller, 'documents:read')) return null
    return {
      target: { kind: 'file', memberId: member.id, projectId, path },
      name: posix.basename(path),
      size: () => this.librarySize(caller, projectId, path),
    }
  }

  private librarySize({ member }: Caller, projectId: string, path: string): number | null {
    const { projects, tree } = this.deps
    const project = projects.find(projectId)
    if (!project || !mayReadProject(projects.roleOf(project, member))) return null
    return findFile(tree, filesFolder(project), path)?.stamp.size ?? null
  }

  private sign({ target, name }: ResolvedFile): string {
    const key = JSON.stringify(target)
    const cached = this.urlCache.get(key)
    if (cached !== undefined) return cached
    const url = localUrl(this.deps.signedLinks.sign(target, name))
    this.urlCache.set(key, url)
    return url
  }
}

const fileUrl = (href: string, { name, size }: Pick<ResolvedFile, 'name' | 'size'>): FileUrl => ({
  href,
  name,
  isPicture: isPicture(name),
  size,
})

export const isPicture = (name: string): boolean => mediaTypeOf(name).startsWith('image/')
