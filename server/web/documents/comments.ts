import { mayDelete } from '../../../core/access/permissions.ts'
import type { CommentPage, CommentView } from '../../../core/comments/types.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { plainText } from '../../../core/markdown/canonical-mentions.ts'
import { commentsPath } from '../../../core/paths.ts'
import type { RenderedPart } from '../../../core/rendering/types.ts'
import { avatar } from '../avatar.ts'
import { dateTime } from '../dates.ts'
import { Html, html } from '../html.ts'
import { blockMarkId } from './block-comments.ts'
import { commentForm, commentSubject, maxBodyLength, subjectOf } from './comment-form.ts'
import type { CommentPageRequest, DocumentContext } from './document-context.ts'
import { person, pluralize } from './document-header.ts'

/** @throws WorkspaceError `bad_request` for an invalid cursor */
export async function commentSection(
  opened: DocumentContext,
  request: CommentPageRequest,
  text: Pick<RenderedPart, 'part' | 'partCount' | 'isDivided'> = { part: 1, partCount: 1, isDivided: false },
): Promise<Html> {
  const { workspace, caller, details } = opened
  const { page, isFirst } = await commentPage(opened, request)
  const texts = await workspace.rendering.texts.html(
    caller,
    page.comments.map(({ _id, body }) => ({ key: _id, body, projectId: details.projectId })),
  )
  const shown: CommentContext = {
    opened,
    isWhole: text.partCount === 1,
    textOf: (comment) => new Html(texts.get(comment._id) ?? ''),
  }
  const about = !text.isDivided && (await commentSubject(opened, request, text.part))
  const threads = threadsOf(page.comments)
  return html`<section class="comments" aria-labelledby="comments-title">
<h2 id="comments-title">Comments</h2>
<div id="comments" data-live>
${!isFirst && html`<p><a href="${details.page}">Show the first comments</a></p>`}
${
  threads.length > 0
    ? html`<ol class="comment-list">${threads.map((thread) => threadOf(thread, shown))}</ol>`
    : html`<p class="hint">No comments yet.</p>`
}
${page.nextCursor !== null && html`<p><a href="${details.page}?comments=${page.nextCursor}">Show newer comments</a></p>`}
</div>
${details.may.comment && commentForm(opened, { about })}
</section>`
}

/** Finds the page with the requested comment; the first if no page has it. */
async function commentPage(
  { workspace, caller, details: { id, kind } }: DocumentContext,
  { cursor, at }: CommentPageRequest,
): Promise<{ page: CommentPage; isFirst: boolean }> {
  const comments = kind === 'post' ? workspace.comments.posts : workspace.comments.documents
  if (cursor !== undefined) return { page: await comments.page(caller, id, { cursor }), isFirst: false }
  const first = { page: await comments.page(caller, id), isFirst: true }
  if (at === undefined || first.page.nextCursor === null) return first
  if (first.page.comments.some(({ _id }) => _id === at)) return first
  const page = await orEmpty(comments.page(caller, id, { from: at }))
  return page ? { page, isFirst: false } : first
}

const orEmpty = (page: Promise<CommentPage>): Promise<CommentPage | null> =>
  page.catch((error: unknown) => {
    if (error instanceof WorkspaceError && error.code === 'bad_request') return null
    throw error
  })

interface Thread {
  comment: CommentView
  replies: CommentView[]
}

interface CommentContext {
  opened: DocumentContext
  /** Whether all blocks are on the page. */
  isWhole: boolean
  textOf(comment: CommentView): Html
}

/** A reply to a comment of the previous page is shown on its own. */
function threadsOf(comments: readonly CommentView[]): Thread[] {
  const threads = new Map<string, Thread>()
  for (const comment of comments) {
    const thread = comment.parentId === null ? undefined : threads.get(comment.parentId)
    if (thread) thread.replies.push(comment)
    else threads.set(comment._id, { comment, replies: [] })
  }
  return [...threads.values()]
}

function threadOf({ comment, replies }: Thread, shown: CommentContext): Html {
  const { details } = shown.opened
  const mayReply = details.may.comment && comment.parentId === null && !comment.deleted
  return html`<li id="${comment._id}" class="comment">
${commentBody(comment, shown)}
${
  replies.length > 0 &&
  html`<ol class="replies">
${replies.map(
  (reply) => html`<li id="${reply._id}" class="comment">${commentBody(reply, shown)}</li>
`,
)}</ol>`
}
${
  mayReply &&
  html`<details class="reply" id="reply-${comment._id}"><summary>Reply<span class="unseen"> to ${comment.author.name}</span></summary>
${commentForm(shown.opened, { parent: comment })}</details>`
}
</li>
`
}

function commentBody(comment: CommentView, shown: CommentContext): Html {
  const { opened, textOf } = shown
  if (comment.deleted) return html`<p class="hint">This comment was deleted.</p>`
  const { caller, details, project, workspace } = opened
  const isOpen = project.archivedMs === null
  const path = `${commentsPath(details.id, details.kind)}/${comment._id}`
  return html`<article aria-label="Comment by ${comment.author.name}"><p class="byline">${avatar(
    workspace.directory.members.find(comment.author._id)!,
  )} ${person(comment.author)} · <a \
class="when" href="#${comment._id}">${dateTime(comment.createdAt)}</a>${comment.editedAt !== undefined && ' · edited'}${
    isOpen &&
    mayDelete(caller.member, comment.author._id) &&
    html` · <button class="quiet" data-call="DELETE ${path}" data-confirm="Delete this comment?" \
data-confirm-button="Delete">Delete</button>`
  }</p>
${quoteOf(comment, shown)}
<div class="prose said">${textOf(comment)}</div>
${isOpen && caller.member.id === comment.author._id && editForm(comment, opened, path)}</article>`
}

function quoteOf(
  { block, quote = '', blockRemoved }: CommentView,
  { opened, isWhole }: CommentContext,
): Html | false {
  if (block === undefined) return false
  if (blockRemoved) return html`<p class="on-block">On a removed paragraph: <q>${quote}</q></p>`
  const id = blockMarkId(block)
  const { page } = opened.details
  return html`<p class="on-block">On <q><a href="${isWhole ? `#${id}` : `${page}?find=${id}`}">${quote}</a></q></p>`
}

function editForm(comment: CommentView, { workspace, details }: DocumentContext, path: string): Html {
  const text = plainText(comment.body, workspace.directory.members.names())
  const field = `edit-${comment._id}`
  return html`<details class="edit-comment" id="editing-${comment._id}"><summary>Edit</summary>
<form method="dialog" class="say" id="form-${comment._id}" data-call="PATCH ${path}">
<label for="${field}" class="unseen">Edited text</label>
<textarea id="${field}" name="body" maxlength="${maxBodyLength}" required data-mentions data-unreached="${subjectOf(details)}" \
data-text="${text}"></textarea>
<p class="buttons"><button class="small">Save</button></p>
</form></details>`
}

export const commentCount = (count: number): string => pluralize(count, 'comment')
