import type { Database } from '../../data/database.ts'
import type { CommentRow, CommentsTable } from '../../data/tables/comments.ts'
import type { DocumentRecord, DocumentsTable } from '../../data/tables/documents.ts'
import type { SearchTable } from '../../data/tables/search.ts'
import { authorOf, type Member } from '../access/member.ts'
import { requireProject } from '../access/permissions.ts'
import type { DocumentMetadata } from '../documents/catalogue/document-metadata.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId } from '../ids.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Notices } from '../inbox/notices.ts'
import { type Unreached, unreachedInProject } from '../inbox/unreached.ts'
import { mentionedIds, mentionsIn, plainText } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { requireMessageText } from '../text/message-text.ts'
import type { Clock } from '../time/clock.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'
import type { QuotedBlock } from './comment-blocks.ts'
import type { BlockComments, CommentPage, CommentPageOptions, CommentView, NewComment } from './types.ts'

interface CommentStoreDeps {
  database: Database
  clock: Clock
  newId: NewId
  comments: CommentsTable
  documents: DocumentsTable
  metadata: DocumentMetadata
  search: SearchTable
  members: MemberStore
  projects: ProjectStore
  inbox: Inbox
  noticeStore: Notices
  deliveryEnqueuer: DeliveryEnqueuer
}

/** `characters` counts UTF-16 code units of all texts of a list page. */
const maxPage = { comments: 1000, characters: 1_000_000 }

/** Checks no key and no scope. The methods that write must be called inside a commit. */
export class CommentStore {
  constructor(private readonly deps: CommentStoreDeps) {}

  page(post: DocumentRecord, { limit = maxPage.comments, cursor, from }: CommentPageOptions): CommentPage {
    if (!Number.isInteger(limit) || limit < 1) {
      throw new WorkspaceError('bad_request', 'The limit must be a whole number from 1 to 1000.')
    }
    const after =
      from !== undefined
        ? this.positionOf(from, post) - 1
        : cursor !== undefined
          ? this.positionOf(cursor, post)
          : 0
    const { rows, isDone } = this.rowsAfter(post, after, Math.min(limit, maxPage.comments))
    return {
      comments: rows.map((row) => this.viewOf(row)),
      nextCursor: isDone ? null : rows.at(-1)!.id,
    }
  }

  /** In the order of their first comments; includes blocks that were removed. */
  onBlocks(post: DocumentRecord): BlockComments[] {
    const blocks = new Map<string, BlockComments>()
    for (const { id, block, replyCount } of this.deps.comments.onBlocks(post.id)) {
      const entry = blocks.get(block)
      if (entry) entry.count += 1 + replyCount
      else blocks.set(block, { block, commentId: id, count: 1 + replyCount })
    }
    return [...blocks.values()]
  }

  find(commentId: string): CommentRow | null {
    return this.deps.comments.find(commentId) ?? null
  }

  /** Returns a deleted comment too. @throws WorkspaceError `not_found`, also for a comment on another post */
  require(post: DocumentRecord, commentId: string): CommentRow {
    const comment = this.findOn(post, commentId)
    if (comment) return comment
    throw new WorkspaceError('not_found', `There is no comment ${commentId} on this post.`, {
      next: { step: 'list comments', postId: post.id },
    })
  }

  /** @throws WorkspaceError `conflict` if the project is archived or the block's text changed; `not_found` */
  postAs(
    author: Member,
    postId: string,
    request: Pick<NewComment, 'body' | 'parentId'> & { quotedBlock?: QuotedBlock | null },
  ): { id: string } {
    const { documents, inbox, noticeStore, projects, deliveryEnqueuer } = this.deps
    const { body, parentId = null, quotedBlock = null } = request
    const post = documents.find(postId)
    if (!post || !canHaveComments(post) || post.deletedMs !== null) throw noPostError(postId)
    const project = projects.find(post.projectId)!
    requireProject(author, project, projects.roleOf(project, author))
    requireWritable(project)
    requireMessageText(body, 'comment')
    if (parentId !== null) this.requireParent(post, parentId)
    if (quotedBlock && quotedBlock.revision !== post.revision) throw changedTextError()
    const comment = this.insert(post, { parentId, authorId: author.id, body }, quotedBlock)
    const notified = inbox.addForComment(comment, post, mentionedIds(body))
    const noticeKinds = noticeStore.addForComment(comment, post, notified)
    const notice = deliveryEnqueuer.enqueueForComment(comment, post, notified, noticeKinds)
    // The loop guard's own notice notifies no member and triggers no webhook.
    if (notice) this.insert(post, { parentId: null, authorId: notice.author.id, body: notice.body })
    return { id: comment.id }
  }

  /** Notifies newly mentioned members. @throws WorkspaceError `conflict` for a deleted comment */
  edit(comment: CommentRow, post: DocumentRecord, body: string): void {
    const { clock, comments, inbox, members, search, deliveryEnqueuer } = this.deps
    requireMessageText(body, 'comment')
    if (comment.deletedMs !== null) throw new WorkspaceError('conflict', 'The comment was deleted.')
    if (comment.body === body) return
    const atMs = clock.now()
    comments.edit(comment.id, body, atMs)
    search.change(comment.id, { title: '', body: plainText(body, members.names()) })
    const mentioned = { before: mentionedIds(comment.body), after: mentionedIds(body) }
    const notified = inbox.updateForComment(comment, post, mentioned, atMs)
    const notice = deliveryEnqueuer.enqueueForComment({ ...comment, body }, post, notified)
    if (notice) this.insert(post, { parentId: null, authorId: notice.author.id, body: notice.body })
  }

  /** Idempotent; replies stay. */
  remove({ id, postId }: CommentRow, deletedBy: Member): void {
    const { metadata, clock, comments, inbox, noticeStore, search } = this.deps
    if (!comments.remove(id, clock.now(), deletedBy.id)) return
    metadata.update(postId, ({ commentCount }) => ({ commentCount: commentCount - 1 }))
    search.remove(id)
    inbox.removeForComment(id)
    noticeStore.removeForComment(id)
  }

  unreached({ body, authorId }: Pick<CommentRow, 'body' | 'authorId'>, post: DocumentRecord): Unreached[] {
    const project = this.deps.projects.find(post.projectId)!
    return unreachedInProject(mentionsIn(body), project, authorId, this.deps)
  }

  viewOf(comment: CommentRow): CommentView {
    const { id, postId, parentId, authorId, body, block, quote, createdMs, editedMs, deletedMs } = comment
    const isDeleted = deletedMs !== null
    return {
      _id: id,
      postId,
      parentId,
      body: isDeleted ? '' : body,
      author: authorOf(this.deps.members.find(authorId)!),
      createdAt: createdMs,
      ...(block !== null && { block, quote: quote ?? '' }),
      ...(editedMs !== null && !isDeleted && { editedAt: editedMs }),
      ...(isDeleted && { deleted: true }),
    }
  }

  private insert(
    post: DocumentRecord,
    fields: Pick<CommentRow, 'parentId' | 'authorId' | 'body'>,
    quotedBlock: QuotedBlock | null = null,
  ): Omit<CommentRow, 'place' | 'editedMs' | 'deletedMs'> {
    const { metadata, clock, comments, database, members, newId, search } = this.deps
    const comment = {
      ...fields,
      id: newId('cmt'),
      postId: post.id,
      block: quotedBlock?.id ?? null,
      quote: quotedBlock?.quote ?? null,
      createdMs: clock.now(),
    }
    comments.insert(comment)
    metadata.update(post.id, ({ commentCount, activityMs }) => ({
      commentCount: commentCount + 1,
      activityMs: Math.max(activityMs, comment.createdMs),
    }))
    const text = { title: '', body: plainText(comment.body, members.names()) }
    database.atEnd(() => search.add('comment', comment.id, text))
    return comment
  }

  private rowsAfter(
    post: DocumentRecord,
    after: number,
    limit: number,
  ): { rows: CommentRow[]; isDone: boolean } {
    const rows: CommentRow[] = []
    let characters = 0
    for (const row of this.deps.comments.ofPost(post.id, after)) {
      characters += row.body.length
      if (rows.length === limit || characters > maxPage.characters) return { rows, isDone: false }
      rows.push(row)
    }
    return { rows, isDone: true }
  }

  private findOn(post: DocumentRecord, commentId: string): CommentRow | null {
    const comment = this.find(commentId)
    return comment?.postId === post.id ? comment : null
  }

  private requireParent(post: DocumentRecord, commentId: string): void {
    const { parentId, deletedMs } = this.require(post, commentId)
    if (parentId !== null) {
      throw new WorkspaceError(
        'bad_request',
        `${commentId} is a reply itself. Reply to the comment that it replies to: ${parentId}`,
      )
    }
    if (deletedMs !== null) {
      throw new WorkspaceError('bad_request', 'The comment that this replies to was deleted.')
    }
  }

  private positionOf(cursor: string, post: DocumentRecord): number {
    const comment = this.findOn(post, cursor)
    if (comment) return comment.place
    throw new WorkspaceError(
      'bad_request',
      'The cursor does not belong to this list. Send nextCursor of the previous page, or leave it out to start.',
    )
  }
}

const canHaveComments = ({ kind }: Pick<DocumentRecord, 'kind'>): boolean =>
  kind === 'post' || kind === 'document' || kind === 'card'

const changedTextError = (): WorkspaceError =>
  new WorkspaceError('conflict', 'The text was changed at the same time. Comment again.')

const noPostError = (id: string): WorkspaceError =>
  new WorkspaceError('not_found', `There is no post ${JSON.stringify(id)}.`)
