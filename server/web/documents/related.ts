import { createHash } from 'node:crypto'
import type { OpenDocumentDetails } from '../../../core/documents/model/types.ts'
import type { Backlink } from '../../../core/links/types.ts'
import type { LinkPreview } from '../../../core/previews/previews.ts'
import { localUrl } from '../../../core/rendering/local-url.ts'
import { formatBytes } from '../../../core/text/format-bytes.ts'
import { type Html, html } from '../html.ts'
import { previewCards } from '../preview-cards.ts'

/** `data-text` identifies the text, which also changes when documents that it links to are renamed. */
export const documentFoot = (
  details: OpenDocumentDetails,
  { shown, ...related }: { previews: readonly LinkPreview[]; backlinks: readonly Backlink[]; shown: string },
): Html => html`<footer class="document-foot" id="document-foot" data-live \
data-text="${createHash('sha256').update(shown).digest('hex').slice(0, 16)}">
${relatedSections(details, related)}
</footer>`

export const relatedSections = (
  details: OpenDocumentDetails,
  { previews, backlinks }: { previews: readonly LinkPreview[]; backlinks: readonly Backlink[] },
): Html => html`${details.attachments.length > 0 && attachmentList(details.attachments)}
${previews.length > 0 && previewList(previews)}
${backlinks.length > 0 && backlinkList(backlinks)}
${details.conflictCopies.length > 0 && conflictCopyList(details)}`

const attachmentList = (
  attachments: OpenDocumentDetails['attachments'],
): Html => html`<section aria-labelledby="attachments-title">
<h2 id="attachments-title">Attachments</h2>
<ul class="rows">
${attachments.map(
  ({
    id,
    name,
    type,
    size,
    path,
  }) => html`<li id="${id}"><p class="main"><a href="${path}"><bdi>${name}</bdi></a> <small>${formatBytes(size)}, ${type}</small></p></li>
`,
)}</ul>
</section>`

const previewList = (
  previews: readonly LinkPreview[],
): Html => html`<section aria-labelledby="previews-title">
<h2 id="previews-title">Links</h2>
${previewCards(previews)}</section>`

const backlinkList = (
  backlinks: readonly Backlink[],
): Html => html`<section aria-labelledby="backlinks-title">
<h2 id="backlinks-title">Linked from</h2>
<ul class="rows backlinks">
${backlinks.map(
  ({
    title,
    url,
    context,
  }) => html`<li><p class="main"><a href="${localUrl(url)}"><bdi>${title}</bdi></a><br><small \
dir="auto">${withoutBrackets(context)}</small></p></li>
`,
)}</ul>
</section>`

const conflictCopyList = ({
  conflictCopies,
  path,
}: OpenDocumentDetails): Html => html`<section aria-labelledby="copies-title">
<h2 id="copies-title">Conflict copies</h2>
<p class="hint">A sync tool created these copies. Copy what is missing into this document, then delete them in the folder.</p>
<ul class="rows">
${conflictCopies.map(
  (
    name,
  ) => html`<li><a href="${path.slice(0, path.lastIndexOf('/') + 1)}${encodeURIComponent(name)}"><bdi>${name}</bdi></a></li>
`,
)}</ul>
</section>`

/** Reduces links to their label, or else their target. */
const withoutBrackets = (text: string): string =>
  text.replaceAll(/!?\[\[([^[\]|]+)(?:\|([^[\]]+))?\]\]/g, (_, name: string, label?: string) => label ?? name)
