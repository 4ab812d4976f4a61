import type { Database } from '../../data/database.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Caller } from '../access/member.ts'
import { requireAuthorship, requireDeletion } from '../access/permissions.ts'
import { type IdempotencyKeys, requireIdempotencyKey } from '../concurrency/idempotency-keys.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Unreached } from '../inbox/unreached.ts'
import type { CommentBlocks } from './comment-blocks.ts'
import type { CommentStore } from './comment-store.ts'
import type { BlockComments, CommentPage, CommentPageOptions, CommentView, NewComment } from './types.ts'

interface CommentsDeps {
  database: Database
  comments: CommentStore
  /** What the comments are on. Checks scope, membership and, to write, that the project is open. */
  subject: CommentSubject
  blocks: CommentBlocks
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
    const post = await this.deps.subject(caller, postId, 'read')
    const { comments, nextCursor } = this.deps.comments.page(post, options)
    return { comments: await this.withPresentBlocks(post, comments), nextCursor }
  }

  /** In the order of their first comments; also of blocks that were removed. */
  async onBlocks(caller: Caller, postId: string): Promise<BlockComments[]> {
    return this.deps.comments.onBlocks(await this.deps.subject(caller, postId, 'read'))
  }

  /**
   * What a block says that a comment is to be on.
   * @throws WorkspaceError `conflict` for an id that the file does not have; `bad_request` for the envelope
   */
  async quote(caller: Caller, postId: string, block: string): Promise<string> {
    const { blocks, subject } = this.deps
    return (await blocks.require(await subject(caller, postId, 'read'), block)).quote
  }

  /**
   * @returns the comment, and the mentioned members who are not notified of it
   * @throws WorkspaceError also `conflict` for a block that the file does not have
   */
  async post(
    caller: Caller,
    postId: string,
    request: NewComment,
  ): Promise<{ comment: CommentView; unreached: Unreached[] }> {
    const { blocks, idempotencyKeys, comments, database, subject } = this.deps
    const { member } = caller
    const { block, parentId } = request
    const key = request.idempotencyKey ?? null
    if (key !== null) requireIdempotencyKey(key)
    const post = await subject(caller, postId, 'write')
    if (block !== undefined && parentId !== undefined) throw repliesOnBlockError()
    const on = block === undefined ? null : await blocks.require(post, block)
    const { id } = await commitOrUnavailable(database, () =>
      // A key contains no line break, so this one differs from a message's with the same key.
      idempotencyKeys.once(member.id, key && `comment\n${key}`, () =>
        comments.postAs(member, post.id, { ...request, on }),
      ),
    )
    return this.answer(post, id)
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
    return this.answer(post, commentId)
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

  private async answer(
    post: DocumentRecord,
    commentId: string,
  ): Promise<{ comment: CommentView; unreached: Unreached[] }> {
    const { comments } = this.deps
    const row = comments.find(commentId)!
    const [comment] = await this.withPresentBlocks(post, [comments.viewOf(row)])
    return { comment: comment!, unreached: comments.unreached(row, post) }
  }

  /** Says which comments are on blocks that were removed. */
  private async withPresentBlocks(
    post: DocumentRecord,
    comments: readonly CommentView[],
  ): Promise<CommentView[]> {
    if (comments.every(({ block }) => block === undefined)) return [...comments]
    const present = await this.deps.blocks.idsOf(post)
    return comments.map((comment) =>
      comment.block === undefined || present.has(comment.block)
        ? comment
        : { ...comment, blockRemoved: true },
    )
  }
}

const repliesOnBlockError = (): WorkspaceError =>
  new WorkspaceError(
    'bad_request',
    'A reply is on the block of the comment that it replies to. Leave out block or parentId.',
  )
