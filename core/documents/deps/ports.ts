import type { Attachment, DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import type { ParsedContent } from '../../markdown/index.ts'
import type { Unreached } from '../../members/unreached.ts'
import type { Change } from '../model/change.ts'
import type { DocumentEvent } from '../model/document-event.ts'

/** What documents need of the rest of the workspace. Whoever builds them hands it in; nothing of it is imported here. */
export interface Ports {
  /** The event log; to be called inside a commit. */
  events: {
    /** @returns the tick of each */
    appendAll(events: readonly DocumentEvent[]): number[]
    remove(tick: number): void
    /** Outside of the commit: keeps an event from being read, and all that come after it, until it is shown. */
    hide(tick: number): void
    show(tick: number): void
  }
  index: LinkAndSearchIndex
  publications: Publications
  attached: AttachmentFiles
  /** Who of those whom a text in a project mentions by name does not hear of it. */
  unreached(
    mentioned: Iterable<readonly [id: string, name: string]>,
    project: Project,
    authorId: string,
  ): Unreached[]
  counts: ProjectCounts
  /** Forgets what else the database keeps of a document that is gone for good; to be called inside a commit. */
  onPurge(id: string): void
}

/** What documents are found by: their links and words. To be called inside a commit. */
interface LinkAndSearchIndex {
  update(change: Pick<Change, 'before' | 'after' | 'content'>): void
  /** Takes back what a change wrote, outside of its transaction. */
  rollBack(id: string): void
}

/** Tells of posts that are published. To be called inside a commit. */
export interface Publications {
  /** @returns the ids of the members who were told of a mention */
  notify(
    post: DocumentRecord,
    published: { stored: Uint8Array; digest: ParsedContent },
    by: { actorId: string; atMs: number },
  ): string[]
  /** Takes back what the write of a post at that time told. */
  rollBack(post: DocumentRecord, atMs: number): void
}

/** The files that are attached to documents. */
export interface AttachmentFiles {
  /**
   * Copies those of a document for one that is yet to be recorded.
   * @returns the attachments of the new document
   * @throws WorkspaceError `unavailable` where the disk fails, with no copy left over
   */
  copy(from: DocumentRecord, to: NewDocument): Promise<Attachment[]>
  /** Says that the document of which these are copies was recorded. */
  confirm(copies: readonly Attachment[], to: NewDocument): void
  /** Takes copies away of which no document was made. */
  discard(copies: readonly Attachment[], to: NewDocument): Promise<void>
  /** Takes those of a document off the disk that nobody can bring back. @throws DiskError */
  remove(record: DocumentRecord): void
}

interface NewDocument {
  project: Project
  id: string
}

/** What a project holds besides documents, counted for the lists of its folders. */
export interface ProjectCounts {
  files(project: Project): Promise<number>
  repositories(projectId: string): number
  pulls(projectId: string): number
}
