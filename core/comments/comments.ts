import type { Database } from '../../data/database.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Caller } from '../access/member.ts'
import { requireAuthorship, requireDeletion } from '../access/permissions.ts'
import { type IdempotencyKeys, requireIdempotencyKey } from '../concurrency/idempotency-keys.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import type { Unreached } from '../inbox/unreached.ts'
import type { CommentStore } from './comment-store.ts'
import type { CommentPage, CommentPageOptions, CommentView, NewComment } from './types.ts'

interface CommentsDeps {
  database: Database
  comments: CommentStore
  /** What the comments are on. Checks scope, membership and, to write, that the project is open. */
  subject: CommentSubject
  idempotencyKeys: IdempotencyKeys
}

export type CommentSubject = (caller: Caller, id: string, intent: 'read' | 'write') => Promise<DocumentRecord>

/**
 * Comments as a caller reads and writes them. Every call throws WorkspaceError `not_found` for a post or comment that
 * does not exist, `forbidden` if the caller is not in the post's project, and `bad_request` for a draft or invalid
 * input.
 */
export class Comments {
  private readonly deps: CommentsDeps

  constructor(deps: CommentsDeps) {
    this.deps = deps
  }

  async page(caller: Caller, postId: string, options: CommentPageOptions = {}): Promise<CommentPage> {
    return this.deps.comments.page(await this.deps.subject(caller, postId, 'read'), options)
  }

  /** @returns the comment, and the mentioned members who are not notified of it */
  async post(
    caller: Caller,
    postId: string,
    request: NewComment,
  ): Promise<{ comment: CommentView; unreached: Unreached[] }> {
    const { idempotencyKeys, comments, database, subject } = this.deps
    const { member } = caller
    const key = request.idempotencyKey ?? null
    if (key !== null) requireIdempotencyKey(key)
    const post = await subject(caller, postId, 'write')
    const { id } = await commitOrUnavailable(database, () =>
      // A key contains no line break, so this one differs from a message's with the same key.
      idempotencyKeys.once(member.id, key && `comment\n${key}`, () =>
        comments.postAs(member, post.id, request),
      ),
    )
    const comment = comments.find(id)!
    return { comment: comments.viewOf(comment), unreached: comments.unreached(comment, post) }
  }

  async unreached(caller: Caller, postId: string, body: string): Promise<Unreached[]> {
    const post = await this.deps.subject(caller, postId, 'read')
    return this.deps.comments.unreached({ body, authorId: caller.member.id }, post)
  }

  /**
   * Changes one's own comment.
   * @returns the comment, and the mentioned members who are not notified of it
   * @throws WorkspaceError also `forbidden` for another's comment, `conflict` for a deleted one
   */
  async edit(
    caller: Caller,
    postId: string,
    commentId: string,
    body: string,
  ): Promise<{ comment: CommentView; unreached: Unreached[] }> {
    const { comments, database, subject } = this.deps
    const post = await subject(caller, postId, 'write')
    await commitOrUnavailable(database, () => {
      const comment = comments.require(post, commentId)
      requireAuthorship(caller.member, comment.authorId, 'comment')
      comments.edit(comment, post, body)
    })
    const comment = comments.find(commentId)!
    return { comment: comments.viewOf(comment), unreached: comments.unreached(comment, post) }
  }

  /** Safe to repeat. The replies stay. */
  async remove(caller: Caller, postId: string, commentId: string): Promise<void> {
    const { comments, database, subject } = this.deps
    const post = await subject(caller, postId, 'write')
    await commitOrUnavailable(database, () => {
      const comment = comments.require(post, commentId)
      requireDeletion(caller.member, comment.authorId, 'comment')
      comments.remove(comment, caller.member)
    })
  }
}
