import type { LinkPreview } from '../../core/previews/previews.ts'
import { type Html, html } from './html.ts'

/** Without pictures, which would reveal the reader to the linked sites. */
export const previewCards = (previews: readonly LinkPreview[]): Html | false =>
  previews.length > 0 &&
  html`<ul class="previews" aria-label="Linked pages">
${previews.map(
  ({
    url,
    title,
    description,
  }) => html`<li><a href="${url}" rel="noopener noreferrer nofollow"><strong><bdi>${title}</bdi></strong>
${description !== '' && html`<span class="description" dir="auto">${description}</span>`}
<small>${new URL(url).host}</small></a></li>
`,
)}</ul>
`
