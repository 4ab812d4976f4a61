import type { RenderedPart } from '../../../core/rendering/types.ts'
import { type Html, html } from '../html.ts'
import { type PartLinks, partUrl } from './parts.ts'

const maxHeadings = 300

/** Links to the headings. The title, above them all, leads to the beginning. */
export function outlineList({ outline, part: shown }: RenderedPart, { page, revision }: PartLinks): Html {
  const least = Math.min(...outline.map(({ depth }) => depth))
  return html`<ol>
${outline.slice(0, maxHeadings).map(
  ({ anchor, depth, text, part }) => html`<li class="depth-${Math.min(depth - least, 3)}"><a \
href="${part !== shown && partUrl(page, part, revision)}#${encodeURIComponent(anchor)}" dir="auto">${text || '…'}</a></li>
`,
)}</ol>`
}
