import { documentsTreePath } from '../../../core/paths.ts'
import type { RenderedPart } from '../../../core/rendering/types.ts'
import { Html, html } from '../html.ts'
import type { Page } from '../pages.ts'
import { projectHeader } from '../projects/frame.ts'
import { unreachedNotice } from '../unreached.ts'
import { activitySection } from './activity.ts'
import { commentLink, withBlockComments } from './block-comments.ts'
import { commentSection } from './comments.ts'
import { type CommentPageRequest, type DocumentContext, projectPartOf } from './document-context.ts'
import { byline, documentActions } from './document-header.ts'
import { fieldList } from './fields.ts'
import { olderRevisionNotice } from './older-revision.ts'
import { earlierParts, laterParts, type PartLinks, partUrl } from './parts.ts'
import { hereSection } from './present-members.ts'
import { documentFoot } from './related.ts'

/**
 * @param revision by default the current one
 * @throws WorkspaceError `not_found`, `bad_request` for a cursor
 */
export async function readingPage(
  opened: DocumentContext,
  revision: string | undefined,
  comments: CommentPageRequest,
  part: number,
): Promise<Page> {
  const { workspace, caller, project, address, details } = opened
  const { rendering } = workspace
  const isOlder = revision !== undefined && revision !== details.revision
  const [shown, { backlinks }] = await Promise.all([
    rendering.parts.at(caller, address, { revision, part }),
    workspace.links.documents.backlinks(caller, address),
  ])
  const title = leadingTitle(shown.html)
  const body = title === null ? shown.html : shown.html.slice(title.length)
  const older = isOlder && (await olderRevisionNotice(opened, revision))
  const text = isOlder ? body : await withBlockComments(opened, { ...shown, html: body }, comments)
  const unread = workspace.inbox.records.inPlaces(caller, [details.id])
  const links = { page: details.page, revision: isOlder ? revision : undefined }
  const isTickable = !isOlder && details.may.edit && !shown.isDivided
  const isFollowed = details.kind === 'document' && !isOlder
  return {
    title: `${shown.title} · ${project.name}`,
    kind: 'document',
    content: html`${projectHeader(project, projectPartOf[address.folder])}
<div class="reading"${isFollowed && html` data-presence="${presencePath(opened)}"`}>
<article>
<header class="document-head" id="document-head" data-live data-page="${details.page}" data-project="${project.id}" \
data-document="${details.id}" data-unread="${unread.join(' ')}">
${older}
${title && html`<div class="prose title">${new Html(title)}</div>`}
${title === null && shown.part > 1 && html`<div class="prose title"><h1><bdi>${shown.title}</bdi></h1></div>`}
<div class="topline">
<p class="byline">${byline(opened)}</p>
${!isOlder && documentActions(opened)}
</div>
${shown.isPlain && shown.part === 1 && html`<h1><bdi>${shown.title}</bdi></h1>`}
${
  shown.isPlain &&
  html`<p class="hint">This ${shown.partCount > 1 ? 'part' : 'file'} takes too long to render, so its source is shown.</p>`
}
${!isOlder && unreachedNotice(details.unreached, details.kind === 'post')}
${fieldList(shown.fields)}
</header>
<details class="contents" id="contents" data-live${shown.outline.length < 3 && html` hidden`}>
<summary>Contents</summary>
${outlineList(shown, links)}
</details>
<div class="reading-text">
${earlierParts(shown, links)}
<div class="prose" id="prose" data-live data-revision="${shown.revision}"${isTickable && html` data-ticks="${details.path}"`}>
${new Html(text)}
</div>
${laterParts(shown, links)}
${!isOlder && commentLink(details, shown)}
</div>
${documentFoot(details, { previews: workspace.rendering.previews.previewsFor(details.links), backlinks, shown: shown.html })}
${details.kind !== 'draft' && !isOlder && (await commentSection(opened, comments, shown))}
${!isOlder && (await activitySection(opened))}
</article>
<aside class="beside-text">
${hereSection(isOlder ? [] : details.here, caller.member)}
<nav class="outline" id="outline" aria-label="Contents" data-live${shown.outline.length < 3 && html` hidden`}>
${outlineList(shown, links)}
</nav>
</aside>
</div>`,
  }
}

/** The title at the beginning of the text; the page shows it in its header instead. */
const leadingTitle = (text: string): string | null => /^<h1[ >].*?<\/h1>/s.exec(text)?.[0] ?? null

/** By id, which stays valid when the document is renamed. */
const presencePath = ({ project, details }: DocumentContext): string =>
  `${documentsTreePath(project)}/${details.id}/_presence`

const maxHeadings = 300

/** Links to the headings. The title, above them all, leads to the beginning. */
function outlineList({ outline, part: shown }: RenderedPart, { page, revision }: PartLinks): Html {
  const least = Math.min(...outline.map(({ depth }) => depth))
  return html`<ol>
${outline.slice(0, maxHeadings).map(
  ({ anchor, depth, text, part }) => html`<li class="depth-${Math.min(depth - least, 3)}"><a \
href="${part !== shown && partUrl(page, part, revision)}#${encodeURIComponent(anchor)}" dir="auto">${text || '…'}</a></li>
`,
)}</ol>`
}
