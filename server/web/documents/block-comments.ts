import type { BlockComments } from '../../../core/comments/types.ts'
import type { RenderedDocument, RenderedPart } from '../../../core/rendering/types.ts'
import { Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import type { CommentPageRequest, DocumentContext } from './document-context.ts'
import { pluralize } from './document-header.ts'
import { partUrl } from './parts.ts'

type ShownText = RenderedDocument & Partial<Pick<RenderedPart, 'part' | 'isDivided'>>

/** The first tag of a top-level block. In HTML rendered from markdown, `<` always begins a tag. */
const blockStart = /(?<=^|\n)<[a-z][a-z0-9]* [^<>]*data-block="(k[0-9a-z.]+)"[^<>]*>/g

const maxWordsLength = 60

/** The id to which links to a block point. */
export const blockMarkId = (block: string): string => `at-${block}`

const isCommentable = ({ isPlain, isDivided = false }: ShownText): boolean => !isPlain && !isDivided

/** Returns HTML with comment counts beside blocks or, while a block is being chosen, with links. */
export async function withBlockComments(
  { workspace, caller, details }: Pick<DocumentContext, 'workspace' | 'caller' | 'details'>,
  shown: ShownText,
  asked?: Pick<CommentPageRequest, 'about'>,
): Promise<string> {
  if (details.kind === 'draft' || !isCommentable(shown)) return shown.html
  const service = details.kind === 'post' ? workspace.comments.posts : workspace.comments.documents
  const comments = new Map((await service.onBlocks(caller, details.id)).map((one) => [one.block, one]))
  const isChoosing = details.may.comment && asked?.about === ''
  if (comments.size === 0 && !isChoosing) return shown.html
  return shown.html.replace(blockStart, (tag, block: string, at: number) => {
    const found = comments.get(block)
    const link = isChoosing ? choice(aboutUrl(details.page, block, shown.part), wordsAt(shown.html, at)) : ''
    return `${found ? mark(found, details.page).text : ''}${link}${tag}`
  })
}

export function aboutUrl(page: string, block: string, part = 1): string {
  const url = partUrl(page, part)
  return `${url}${url.includes('?') ? '&' : '?'}about=${block}${block === '' ? '#prose' : '#comment-form'}`
}

const mark = ({ block, commentId, count }: BlockComments, page: string): Html =>
  html`<a class="block-comments" id="${blockMarkId(block)}" href="${page}?at=${commentId}#${commentId}" \
data-comment="${commentId}" aria-label="${pluralize(count, 'comment')} on this block">${count}</a>
`

const choice = (url: string, words: string): string =>
  html`<p class="choose-block"><a class="button small second" href="${url}">Comment<span \
class="unseen"> on: ${new Html(words)}</span></a></p>
`.text

function wordsAt(text: string, at: number): string {
  const words = text
    .slice(at, text.indexOf('\n', at + 1) === -1 ? undefined : text.indexOf('\n', at + 1))
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return words.length > maxWordsLength ? `${words.slice(0, maxWordsLength).replace(/&[^;]*$/, '')}…` : words
}

/** The script moves it beside the block under the pointer (`server/client/documents/block-comments.ts`). */
export const commentLink = ({ kind, may }: DocumentContext['details'], shown: ShownText): Html | false =>
  kind !== 'draft' &&
  may.comment &&
  isCommentable(shown) &&
  html`<a class="comment-link" id="comment-link" href="#comment-form" tabindex="-1" hidden>${icon('comment')}<span \
class="unseen">Comment on this block</span></a>`
