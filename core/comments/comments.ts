import type { Database } from '../../data/database.ts'
import type { CommentRow, CommentsTable } from '../../data/tables/comments.ts'
import type { DocumentRecord, DocumentsTable } from '../../data/tables/documents.ts'
import type { SearchTable } from '../../data/tables/search.ts'
import { authorOf, type Caller, type Member } from '../access/member.ts'
import { requireDeletion, requireProject, requireScope } from '../access/permissions.ts'
import type { PostLookup } from '../documents/addressing/post-lookup.ts'
import type { DocumentMetadata } from '../documents/catalogue/document-metadata.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { type IdempotencyKeys, requireIdempotencyKey } from '../idempotency.ts'
import type { NewId } from '../ids.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { type Unreached, unreachedInProject } from '../inbox/unreached.ts'
import { mentionedIds, mentionsIn, plainText } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { requireMessageText } from '../text/message-text.ts'
import type { Clock } from '../time/clock.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'
import type { CommentPage, CommentView, NewComment } from './types.ts'

interface CommentsDeps {
  database: Database
  clock: Clock
  newId: NewId
  comments: CommentsTable
  documents: DocumentsTable
  posts: Pick<PostLookup, 'find'>
  annotations: DocumentMetadata
  search: SearchTable
  members: MemberStore
  projects: ProjectStore
  inbox: Inbox
  webhookCalls: DeliveryEnqueuer
  idempotencyKeys: IdempotencyKeys
}

/** The most comments of a page, and the most characters (UTF-16 code units) of their texts. */
const maxPage = { comments: 1000, characters: 1_000_000 }

/**
 * What is said below published posts. A post is named by its id. Every call throws WorkspaceError `not_found` for a post
 * or comment that is not there, and `forbidden` for those who are not in the post's project.
 */
export class Comments {
  private readonly deps: CommentsDeps

  constructor(deps: CommentsDeps) {
    this.deps = deps
  }

  /**
   * The comments on a post, oldest first; one that was deleted is there without its text while there are replies to it.
   * @param options `limit`: how many; above 1,000 it is 1,000. `cursor`: the `nextCursor` of the page before.
   *   `from`: the id of the comment that the page begins with
   * @throws WorkspaceError `bad_request` for a limit, cursor or comment that is none
   */
  async page(
    caller: Caller,
    postId: string,
    { limit = maxPage.comments, cursor, from }: { limit?: number; cursor?: string; from?: string } = {},
  ): Promise<CommentPage> {
    requireScope(caller, 'posts:read')
    const post = await this.requirePost(caller, postId, 'read')
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

  /**
   * Comments on a post, or replies to a comment. Everything that it brings about is in one commit; the post's file and
   * its revisions stay what they are.
   * @returns the comment, and who of those whom it mentions does not hear of it
   * @throws WorkspaceError `bad_request` for a text, a reply or a key that cannot be, and for a draft
   */
  async post(
    caller: Caller,
    postId: string,
    request: NewComment,
  ): Promise<{ comment: CommentView; unreached: Unreached[] }> {
    requireScope(caller, 'posts:write')
    const { idempotencyKeys, comments, database } = this.deps
    const { member } = caller
    const key = request.idempotencyKey ?? null
    if (key !== null) requireIdempotencyKey(key)
    const post = await this.requirePost(caller, postId, 'write')
    const posted = await commitOrUnavailable(database, () =>
      // No key holds a line break: one that a message was sent with means another request.
      idempotencyKeys.once(member.id, key && `comment\n${key}`, () => this.postAs(member, post.id, request)),
    )
    const row = comments.find(posted.id)!
    return { comment: this.viewOf(row), unreached: this.unreachedBy(row, post) }
  }

  /** Who of those whom a text mentions would not hear of it if the caller said it below the post. */
  async unreached(caller: Caller, postId: string, body: string): Promise<Unreached[]> {
    requireScope(caller, 'posts:read')
    const post = await this.requirePost(caller, postId, 'read')
    return this.unreachedBy({ body, authorId: caller.member.id }, post)
  }

  /**
   * As `post`, in the name of a member whose scopes are not in question; to be called inside a commit.
   * @param postId of a post that may have been deleted meanwhile
   */
  postAs(author: Member, postId: string, request: Omit<NewComment, 'idempotencyKey'>): { id: string } {
    const { documents, inbox, projects, webhookCalls } = this.deps
    const { body, parentId = null } = request
    const post = documents.find(postId)
    if (post?.kind !== 'post' || post.deletedMs !== null) throw noPostError(postId)
    const project = projects.find(post.projectId)!
    requireProject(author, project, projects.roleOf(project, author))
    requireWritable(project)
    requireMessageText(body, 'comment')
    if (parentId !== null) this.requireParent(post, parentId)
    const comment = this.insert(post, { parentId, authorId: author.id, body })
    const told = inbox.addForComment(comment, post, mentionedIds(body))
    const notice = webhookCalls.tellOfComment(comment, post, told)
    // It mentions and wakes nobody.
    if (notice) this.insert(post, { parentId: null, authorId: notice.author.id, body: notice.body })
    return { id: comment.id }
  }

  /**
   * Deletes a comment; safe to repeat. The replies to it stay.
   * @throws WorkspaceError `forbidden` for anyone but its author, an owner or an admin
   */
  async remove(caller: Caller, postId: string, commentId: string): Promise<void> {
    requireScope(caller, 'posts:write')
    const { annotations, clock, comments, database, inbox, search } = this.deps
    const { member } = caller
    const post = await this.requirePost(caller, postId, 'write')
    await commitOrUnavailable(database, () => {
      const { id, authorId } = this.requireComment(post, commentId)
      requireDeletion(member, authorId, 'comment')
      if (!comments.remove(id, clock.now(), member.id)) return
      annotations.update(post.id, ({ commentCount }) => ({ commentCount: commentCount - 1 }))
      search.remove(id)
      inbox.removeForComment(id)
    })
  }

  /** The post as the disk has it. */
  private async requirePost(caller: Caller, id: string, intent: 'read' | 'write'): Promise<DocumentRecord> {
    const { record } = await this.deps.posts.find(caller, id, intent)
    if (record.kind === 'post') return record
    throw new WorkspaceError('bad_request', 'This is a draft. Publish it first: comments are for posts.')
  }

  private unreachedBy(
    { body, authorId }: Pick<CommentRow, 'body' | 'authorId'>,
    post: DocumentRecord,
  ): Unreached[] {
    const project = this.deps.projects.find(post.projectId)!
    return unreachedInProject(mentionsIn(body), project, authorId, this.deps)
  }

  /** Within a commit. */
  private insert(
    post: DocumentRecord,
    said: Pick<CommentRow, 'parentId' | 'authorId' | 'body'>,
  ): Omit<CommentRow, 'place' | 'deletedMs'> {
    const { annotations, clock, comments, database, members, newId, search } = this.deps
    const comment = { ...said, id: newId('cmt'), postId: post.id, createdMs: clock.now() }
    comments.insert(comment)
    annotations.update(post.id, ({ commentCount, activityMs }) => ({
      commentCount: commentCount + 1,
      activityMs: Math.max(activityMs, comment.createdMs),
    }))
    const text = { title: '', body: plainText(comment.body, members.names()) }
    database.atEnd(() => search.add('comment', comment.id, text))
    return comment
  }

  /** As many as a page holds. */
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

  private find(post: DocumentRecord, commentId: string): CommentRow | null {
    const comment = this.deps.comments.find(commentId)
    return comment?.postId === post.id ? comment : null
  }

  /** Also one that was deleted. */
  private requireComment(post: DocumentRecord, commentId: string): CommentRow {
    const comment = this.find(post, commentId)
    if (comment) return comment
    throw new WorkspaceError('not_found', `There is no comment ${commentId} on this post.`, {
      next: { step: 'list comments', postId: post.id },
    })
  }

  private requireParent(post: DocumentRecord, commentId: string): void {
    const { parentId, deletedMs } = this.requireComment(post, commentId)
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
    const comment = this.find(post, cursor)
    if (comment) return comment.place
    throw new WorkspaceError(
      'bad_request',
      'The cursor does not belong to this list. Send nextCursor of the previous page, or leave it out to start.',
    )
  }

  private viewOf({ id, postId, parentId, authorId, body, createdMs, deletedMs }: CommentRow): CommentView {
    const isDeleted = deletedMs !== null
    return {
      _id: id,
      postId,
      parentId,
      body: isDeleted ? '' : body,
      author: authorOf(this.deps.members.find(authorId)!),
      createdAt: createdMs,
      ...(isDeleted && { deleted: true }),
    }
  }
}

const noPostError = (id: string): WorkspaceError =>
  new WorkspaceError('not_found', `There is no post ${JSON.stringify(id)}.`)
