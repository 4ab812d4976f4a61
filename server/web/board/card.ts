import type { Caller } from '../../../core/access/member.ts'
import { columns, doneColumn } from '../../../core/documents/model/columns.ts'
import type { BoardCard } from '../../../core/documents/model/types.ts'
import { WorkspaceError } from '../../../core/errors/workspace-error.ts'
import type { OpenSession } from '../../../core/sessions/sessions.ts'
import type { RouteContext } from '../../context.ts'
import { activitySection } from '../documents/activity.ts'
import { commentLink, withBlockComments } from '../documents/block-comments.ts'
import { commentSection } from '../documents/comments.ts'
import { documentPage } from '../documents/document.ts'
import type {
  CommentPageRequest,
  DocumentContext,
  DocumentPageRenderer,
  DocumentServices,
} from '../documents/document-context.ts'
import { byline, documentActions } from '../documents/document-header.ts'
import { fieldList } from '../documents/fields.ts'
import { olderRevisionNotice } from '../documents/older-revision.ts'
import { relatedSections } from '../documents/related.ts'
import { type Html, html, Html as Trusted } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader } from '../projects/frame.ts'
import { cardLinks, fieldPanel } from './field-panel.ts'

/** The number identifies a card in any column. */
export async function cardPage(
  workspace: DocumentServices,
  ctx: RouteContext,
  reader: { caller: Caller; session: OpenSession },
): Promise<Page | undefined> {
  const { caller } = reader
  const { slug, number } = ctx.params
  const cards = await workspace.documents.board.cards(caller, slug!)
  const reading: DocumentPageRenderer = (opened, revision, comments) =>
    cardReadingPage(opened, { cards, revision, comments })
  const columnIn = (board: readonly BoardCard[]) =>
    board.find((card) => card.number === Number(number))?.column
  const column = columnIn(cards) ?? columns[0].name
  const address = { project: slug!, folder: 'board' as const, column, name: number! }
  const page = await documentPage(workspace, ctx, reader, address, reading)
  if (page?.status !== 404) return page
  // The card may have been moved meanwhile.
  const now = columnIn(await workspace.documents.board.cards(caller, slug!))
  return now === undefined || now === address.column ? page : cardPage(workspace, ctx, reader)
}

async function cardReadingPage(
  opened: DocumentContext,
  request: { cards: readonly BoardCard[]; revision: string | undefined; comments: CommentPageRequest },
): Promise<Page> {
  const { cards, revision, comments } = request
  const { workspace, caller, project, address, details } = opened
  const { links, rendering } = workspace
  const card = cards.find(({ id }) => id === details.id)
  // The card may have been deleted meanwhile.
  if (!card) throw new WorkspaceError('not_found', 'Card not found.')
  const isOlder = revision !== undefined && revision !== details.revision
  const [shown, { backlinks }] = await Promise.all([
    rendering.documents.at(caller, address, revision),
    links.documents.backlinks(caller, address),
  ])
  const text = isOlder ? shown.html : await withBlockComments(opened, shown, comments)
  const older = isOlder && (await olderRevisionNotice(opened, revision))
  return {
    title: `${card.number} ${shown.title} · ${project.name}`,
    kind: 'card',
    content: html`${projectHeader(project, 'board')}
<div class="reading card-reading">
<article aria-labelledby="byline">
<header class="document-head" id="document-head" data-live data-page="${details.page}" data-project="${project.id}" \
data-document="${details.id}" data-unread="${workspace.inbox.records.inPlaces(caller, [details.id]).join(' ')}">
${older}
<p class="card-topline"><span class="card-number">Card ${card.number}</span> ${
      card.isQuestion && html`<span class="tag">Question</span>`
    } ${stateOf(card)}</p>
<div class="topline">
<p class="byline" id="byline">${byline(opened)}</p>
${!isOlder && documentActions(opened)}
</div>
${shown.isPlain && html`<h1><bdi>${shown.title}</bdi></h1><p class="hint">This file takes too long to render, so its source is shown.</p>`}
${isOlder && fieldList(shown.fields)}
</header>
<div class="reading-text">
<div class="prose" id="prose" data-live data-revision="${shown.revision}"${
      !isOlder && details.may.edit && html` data-ticks="${details.path}"`
    }>
${new Trusted(text)}
</div>
${!isOlder && commentLink(details, shown)}
</div>
${!isOlder && card.isQuestion && answerSection(card, shown.fields.resolution, details.may.edit)}
<footer class="document-foot" id="document-foot" data-live>
${blockedCards(card, cards)}
${relatedSections(details, { previews: [], backlinks })}
</footer>
${!isOlder && (await commentSection(opened, comments))}
${!isOlder && (await activitySection(opened))}
</article>
<aside class="beside-text">${
      !isOlder && fieldPanel(workspace, card, { project, cards, mayEdit: details.may.edit })
    }</aside>
</div>`,
  }
}

function stateOf({ status, column }: BoardCard): Html {
  const { title } = columns.find(({ name }) => name === column)!
  const isClosed = status === 'closed'
  return html`<span class="tag${isClosed && html` good`}">${title}${isClosed && column !== doneColumn && ', closed'}</span>`
}

function answerSection(card: BoardCard, resolution: unknown, mayEdit: boolean): Html {
  const answer = typeof resolution === 'string' ? resolution : null
  const isOpen = card.status !== 'closed'
  return html`<section class="answer" id="answer" aria-labelledby="answer-title" data-live>
<h2 id="answer-title">${answer === null && isOpen ? 'Not answered yet' : 'Answer'}</h2>
${answer !== null ? html`<p class="answered" dir="auto">${answer}</p>` : !isOpen && html`<p class="hint">Closed without an answer.</p>`}
${
  mayEdit &&
  isOpen &&
  html`<form method="dialog" id="answer-form" data-path="${card.path}">
<label for="resolution">${answer === null ? 'Answer it' : 'Change the answer'}</label>
<textarea id="resolution" name="resolution" rows="2" required data-keep></textarea>
<p class="hint">The answer is saved in the card, and the card moves to Done.</p>
<p class="buttons"><button class="small">Answer and close</button></p>
</form>`
}
</section>`
}

function blockedCards({ number }: BoardCard, cards: readonly BoardCard[]): Html | false {
  const waiting = cards.filter(({ blockedBy }) => blockedBy.some((blocker) => blocker.number === number))
  if (waiting.length === 0) return false
  return html`<section aria-labelledby="blocks-title">
<h2 id="blocks-title">Blocks</h2>
${cardLinks(waiting.map((card) => ({ ...card, isClosed: card.status === 'closed' })))}
</section>`
}
