import type { LiveTextsTable } from '../../data/tables/live-texts.ts'
import type { RenderedDocumentsTable } from '../../data/tables/rendered-documents.ts'
import type { RepositoriesTable } from '../../data/tables/repositories.ts'
import type { RevisionWritersTable } from '../../data/tables/revision-writers.ts'
import type { RoomAttachmentsTable } from '../../data/tables/room-attachments.ts'
import type { TrashedFilesTable } from '../../data/tables/trashed-files.ts'
import { removeAttachmentFiles } from '../attachments/attachment-files.ts'
import { Attachments, type AttachmentsDeps } from '../attachments/attachments.ts'
import { confirmCopies, copyAttachments, removeCopies } from '../attachments/copy-attachments.ts'
import { removeUnconfirmed } from '../attachments/unconfirmed.ts'
import { CommentBlocks } from '../comments/comment-blocks.ts'
import { documentSubject, postSubject } from '../comments/subjects.ts'
import type { Config } from '../config.ts'
import type { Assignments, AttachmentFiles, Ports, ProjectCounts } from '../documents/deps/ports.ts'
import {
  type DocumentInternals,
  type Documents,
  type DocumentsDeps,
  openDocuments,
} from '../documents/index.ts'
import { FileTrash } from '../files/file-trash.ts'
import { filesFolder, LibraryFiles } from '../files/library-files.ts'
import { walkFiles } from '../files/walk.ts'
import type { RandomBytes } from '../ids.ts'
import type { Notices } from '../inbox/notices.ts'
import { unreachedInProject } from '../inbox/unreached.ts'
import type { LinksDeps } from '../links/deps.ts'
import { Links } from '../links/links.ts'
import { Refs } from '../links/refs.ts'
import { LiveDocuments } from '../live/live-documents.ts'
import type { MountDeps } from '../mount/deps.ts'
import { Mount } from '../mount/mount.ts'
import { type PublicationsDeps, publicationNotifier } from '../posts/publications.ts'
import { DocumentParts } from '../rendering/document-parts.ts'
import { DocumentRenderer } from '../rendering/document-renderer.ts'
import { ExternalMarkdown } from '../rendering/external-markdown.ts'
import { FileUrls } from '../rendering/file-urls.ts'
import { HtmlCache } from '../rendering/html-cache.ts'
import { MentionsByName } from '../rendering/mentions-by-name.ts'
import { MessageRenderer } from '../rendering/message-renderer.ts'
import { Prerenderer } from '../rendering/prerenderer.ts'
import { Preview } from '../rendering/preview.ts'
import { SlotFiller } from '../rendering/slot-filler.ts'
import type { RoomAttachmentStore } from '../room-attachments/room-attachment-store.ts'
import { Reindexer, type ReindexerDeps } from '../search/reindexer.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { DeletedProjects } from '../trash/deleted-projects.ts'
import { ProjectTrash } from '../trash/project-trash.ts'

type ContentDeps = Omit<DocumentsDeps, Exclude<keyof Ports, 'events'>> &
  AttachmentsDeps &
  LinksDeps &
  MountDeps &
  PublicationsDeps &
  ReindexerDeps & {
    renderedDocuments: RenderedDocumentsTable
    repositories: RepositoriesTable
    noticeStore: Notices
    attachmentStore: RoomAttachmentStore
    roomAttachments: RoomAttachmentsTable
    trashedFiles: TrashedFilesTable
    liveTexts: LiveTextsTable
    revisionWriters: RevisionWritersTable
    random: RandomBytes
    sessions: Sessions
  }

export function openContent(
  content: ContentDeps,
  limits: Pick<Config['limits'], 'markdownBytes' | 'uploadBytes'>,
) {
  const deps = { ...content, ...portsOf(content) }
  const { documents, internals } = openDocuments(deps)
  const { disk } = internals
  const fileTrash = new FileTrash(deps)
  const deletedProjects = new DeletedProjects(deps, internals)
  const trash = new ProjectTrash(deps, { ...internals, fileTrash, deletedProjects })
  const links = {
    documents: new Links(deps, internals),
    refs: new Refs(deps, (record) => disk.isMounted(record)),
  }
  const { rendering, ...pages } = openRendering(deps, internals, links.documents)
  const reindexer = new Reindexer(deps)
  const mount = new Mount(deps, { ...internals, fileTrash }, limits)
  const live = openLive(deps, internals, documents.writes, limits.markdownBytes)
  return {
    documents,
    disk,
    live,
    commentSubjects: {
      posts: postSubject(internals.postRecords),
      documents: documentSubject({ ...deps, addressing: internals.addressing }),
    },
    commentBlocks: new CommentBlocks({ ...deps, reads: internals.reads }),
    postRecords: internals.postRecords,
    publishDue: () => internals.publishDue(),
    attachments: new Attachments(deps, internals),
    libraryFiles: new LibraryFiles(deps, { ...internals, fileTrash }),
    mount,
    trash,
    deletedProjects,
    links,
    rendering,
    /** Recovers, ingests changes made while the server was down, publishes due drafts, then watches. */
    async start(): Promise<void> {
      deletedProjects.recover()
      await internals.recover()
      await removeUnconfirmed(deps)
      await internals.start()
      await trash.start()
      await live.start()
      // Not started while it would delay the first responses.
      if (disk.progress === null) reindexer.start()
      else disk.caughtUp.listen(() => reindexer.start())
    },
    /** Ends timers and the watcher. What was placed is durable then. */
    async stop(): Promise<void> {
      await live.stop()
      await pages.stop()
      await reindexer.stop()
      await trash.stop()
      await internals.stop()
    },
  }
}

function portsOf(shared: ContentDeps): Omit<Ports, 'events'> {
  const { indexing, renderedDocuments } = shared
  return {
    index: indexing,
    publications: publicationNotifier(shared),
    assignments: assignmentsOf(shared),
    attachmentFiles: attachmentFilesOf(shared),
    unreached: (mentioned, project, authorId) => unreachedInProject(mentioned, project, authorId, shared),
    counts: countsOf(shared),
    onPurge(id) {
      renderedDocuments.remove(id)
      indexing.remove(id)
    },
  }
}

function openLive(
  shared: ContentDeps & Ports,
  internals: DocumentInternals,
  writes: Documents['writes'],
  maxBytes: number,
): LiveDocuments {
  const live = new LiveDocuments({
    ...shared,
    ...internals,
    saves: internals.textSaves,
    writes,
    maxBytes,
    renewCaller: (caller) => shared.members.refreshCaller(caller) ?? shared.sessions.refreshSession(caller),
  })
  internals.onCommitted((record, change) => live.handleCommitted(record, change))
  internals.onDisplaced((save) => live.handleDisplaced(save))
  internals.onOvertaken((revision) => live.handleOvertaken(revision))
  shared.sessions.ended.listen(() => live.recheckAll())
  return live
}

const attachmentFilesOf = (shared: ContentDeps): AttachmentFiles => ({
  copy: (from, to) => copyAttachments(shared, from, to),
  confirm: (copies, to) => confirmCopies(shared, copies, to),
  discard: (copies, to) => removeCopies(shared, copies, to),
  remove: (record) => removeAttachmentFiles(shared, record),
})

const countsOf = ({ pulls, repositories, tree }: ContentDeps): ProjectCounts => ({
  files: async (project) => (await walkFiles(tree, filesFolder(project))).files.length,
  repositories: (projectId) => repositories.count(projectId),
  pulls: (projectId) => pulls?.inProject(projectId).length ?? 0,
})

function openRendering(shared: ContentDeps & Ports, deps: DocumentInternals, links: Links) {
  const slotFiller = new SlotFiller(links, new FileUrls(shared))
  const cache = new HtmlCache(shared)
  const documents = new DocumentRenderer(shared, { ...deps, slotFiller, cache })
  const prerenderer = new Prerenderer({ rendering: documents, find: (id) => shared.catalogue.find(id) })
  deps.onCommitted((record, { content }) => {
    if (content) prerenderer.enqueue(record)
  })
  return {
    rendering: {
      documents,
      parts: new DocumentParts(shared, { documents, cache }),
      preview: new Preview(shared, { ...deps, slotFiller }),
      mentions: new MentionsByName(shared),
      texts: new MessageRenderer(shared, slotFiller),
      foreignFiles: new ExternalMarkdown(shared, slotFiller),
    },
    async stop(): Promise<void> {
      prerenderer.stop()
      await cache.flush()
    },
  }
}

const assignmentsOf = ({ noticeStore, deliveryEnqueuer }: ContentDeps): Assignments => ({
  addForCard(before, after, content, { actorId, atMs }) {
    const assigned = noticeStore.addForCard(before, after, actorId, atMs)
    deliveryEnqueuer.enqueueForCard(after, content, assigned, { actorId, atMs })
  },
  rollBack(card, atMs) {
    noticeStore.rollBack(card.id, atMs)
    deliveryEnqueuer.cancelForDocument(card, atMs)
  },
})
