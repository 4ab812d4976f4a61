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
  /** Checks scope, membership and, to write, that the project is not archived. */
  subject: CommentSubject
  blocks: CommentBlocks
  idempotencyKeys: IdempotencyKeys
}

export type CommentSubject = (caller: Caller, id: string, intent: 'read' | 'write') => Promise<DocumentRecord>

/** @throws WorkspaceError `bad_request` for a draft, which has no comments yet */
export class Comments {
  constructor(private readonly deps: CommentsDeps) {}

  async page(caller: Caller, postId: string, options: CommentPageOptions = {}): Promise<CommentPage> {
    const post = await this.deps.subject(caller, postId, 'read')
    const { comments, nextCursor } = this.deps.comments.page(post, options)
    return { comments: await this.withPresentBlocks(post, comments), nextCursor }
  }

  async onBlocks(caller: Caller, postId: string): Promise<BlockComments[]> {
    return this.deps.comments.onBlocks(await this.deps.subject(caller, postId, 'read'))
  }

  /** Returns the text of a block, as a comment on it quotes it. */
  async quote(caller: Caller, postId: string, block: string): Promise<string> {
    const { blocks, subject } = this.deps
    return (await blocks.require(await subject(caller, postId, 'read'), block)).quote
  }

  /** @throws WorkspaceError `conflict` for an unknown block */
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
    const quotedBlock = block === undefined ? null : await blocks.require(post, block)
    const { id } = await commitOrUnavailable(database, () =>
      // A key has no line break, so this one differs from the same key of a message.
      idempotencyKeys.once(member.id, key && `comment\n${key}`, () =>
        comments.postAs(member, post.id, { ...request, quotedBlock }),
      ),
    )
    return this.viewWithUnreached(post, id)
  }

  async unreached(caller: Caller, postId: string, body: string): Promise<Unreached[]> {
    const post = await this.deps.subject(caller, postId, 'read')
    return this.deps.comments.unreached({ body, authorId: caller.member.id }, post)
  }

  /** @throws WorkspaceError `forbidden` for another's comment; `conflict` for a deleted one */
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
    return this.viewWithUnreached(post, commentId)
  }

  /** Idempotent; replies stay. */
  async remove(caller: Caller, postId: string, commentId: string): Promise<void> {
    const { comments, database, subject } = this.deps
    const post = await subject(caller, postId, 'write')
    await commitOrUnavailable(database, () => {
      const comment = comments.require(post, commentId)
      requireDeletion(caller.member, comment.authorId, 'comment')
      comments.remove(comment, caller.member)
    })
  }

  private async viewWithUnreached(
    post: DocumentRecord,
    commentId: string,
  ): Promise<{ comment: CommentView; unreached: Unreached[] }> {
    const { comments } = this.deps
    const row = comments.find(commentId)!
    const [comment] = await this.withPresentBlocks(post, [comments.viewOf(row)])
    return { comment: comment!, unreached: comments.unreached(row, post) }
  }

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
