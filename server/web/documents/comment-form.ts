import type { CommentView } from '../../../core/comments/types.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import { commentsPath } from '../../../core/paths.ts'
import type { RenderedPart } from '../../../core/rendering/types.ts'
import type { OpenSession } from '../../../core/sessions/sessions.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import type { RouteContext } from '../../context.ts'
import { type Html, html } from '../html.ts'
import { localPath } from '../local-path.ts'
import { redirect } from '../pages.ts'
import { aboutUrl } from './block-comments.ts'
import type { CommentPageRequest, DocumentContext } from './document-context.ts'

/** UTF-16 code units, as core limits it. */
export const maxBodyLength = 32_000

export const commentFormPath = '/comments'

type Subject = Pick<DocumentContext['details'], 'id' | 'kind'>

/** The form of `data-unreached`. */
export const subjectOf = ({ id, kind }: Subject): string => `${kind === 'post' ? 'post' : 'document'}:${id}`

/** Live updates keep unsent text. @param parent the comment replied to, if any */
export function commentForm(
  { details, session }: Pick<DocumentContext, 'details' | 'session'>,
  { parent, about = false }: { parent?: CommentView; about?: Html | false },
): Html {
  const field = parent ? `reply-to-${parent._id}` : 'comment'
  return html`<form method="post" action="${commentFormPath}" class="say"${!parent && html` id="comment-form"`} \
data-call="POST ${commentsPath(details.id, details.kind)}" data-reset data-keep>
${plainField('csrf', session.csrfToken)}${plainField('subject', subjectOf(details))}${plainField('page', details.page)}
${parent && html`<input type="hidden" name="parentId" value="${parent._id}">`}
<label for="${field}"${parent && html` class="unseen"`}>${parent ? 'Your reply' : 'Your comment'}</label>
${about}
<textarea id="${field}" name="body" maxlength="${maxBodyLength}" required data-mentions data-unreached="${subjectOf(details)}" \
placeholder="Markdown. Type @ to mention someone."></textarea>
<p class="buttons"><button>${parent ? 'Reply' : 'Comment'}</button></p>
</form>`
}

const plainField = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" data-plain>`

/** Says what a new comment is on: the document, or the block that the URL names. */
export async function commentSubject(
  { workspace, caller, details }: DocumentContext,
  { about }: CommentPageRequest,
  part?: RenderedPart['part'],
): Promise<Html> {
  const service = details.kind === 'post' ? workspace.comments.posts : workspace.comments.documents
  const block = about || undefined
  const quote =
    block === undefined ? null : await service.quote(caller, details.id, block).catch(nullIfMissing)
  const isChosen = quote !== null
  return html`<div class="about" id="comment-about">
<input type="hidden" name="block" value="${isChosen && block}">
<p class="hint" data-about="whole"${
    isChosen && html` hidden`
  }>${block !== undefined && !isChosen && 'That block has since changed. '}On the whole text. <a \
href="${aboutUrl(details.page, '', part)}">Choose a block</a></p>
<p class="hint" data-about="block"${!isChosen && html` hidden`}>On <q>${quote}</q> <a href="${details.page}#comment-form" \
data-about-whole>Comment on the whole text</a></p>
</div>`
}

const nullIfMissing = (error: unknown): null => {
  if (error instanceof WorkspaceError && (error.code === 'conflict' || error.code === 'bad_request'))
    return null
  throw error
}

/** Receives the form without script. */
export const commentByForm =
  (workspace: Pick<Workspace, 'comments'>) =>
  async (ctx: RouteContext, { caller }: OpenSession, form: URLSearchParams): Promise<void> => {
    const [kind, id = ''] = (form.get('subject') ?? '').split(':')
    const service = kind === 'post' ? workspace.comments.posts : workspace.comments.documents
    const parentId = form.get('parentId') || undefined
    const block = form.get('block') || undefined
    const { comment } = await service.post(caller, id, {
      body: (form.get('body') ?? '').replaceAll('\r\n', '\n'),
      ...(parentId !== undefined && { parentId }),
      ...(block !== undefined && { block }),
    })
    redirect(ctx, `${localPath(form.get('page'))}?at=${comment._id}#${comment._id}`)
  }
