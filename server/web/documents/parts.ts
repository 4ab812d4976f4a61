import type { RenderedPart } from '../../../core/rendering/types.ts'
import type { RouteContext } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import { Html, html } from '../html.ts'

/** Counts from 1. Anything but a number means the first part. */
export function requestedPart(ctx: RouteContext, parameter: 'part' | 'fragment' = 'part'): number {
  return Math.max(1, Math.trunc(Number(queryText(ctx, parameter))) || 1)
}

/** @param revision by default the current one */
export function partUrl(page: string, part: number, revision?: string): string {
  const query = new URLSearchParams({
    ...(revision !== undefined && { revision }),
    ...(part > 1 && { part: String(part) }),
  })
  return query.size === 0 ? page : `${page}?${query}`
}

export interface PartLinks {
  page: string
  revision?: string | undefined
}

export function earlierParts({ part, partCount }: RenderedPart, { page, revision }: PartLinks): Html | false {
  if (part === 1) return false
  return html`<nav class="parts" aria-label="Earlier parts"><a class="button small second" rel="prev" \
href="${partUrl(page, part - 1, revision)}">Previous part</a> <span class="hint">Part ${part} of ${partCount}</span></nav>`
}

/** Marks the place where the script inserts further parts as the reader scrolls. */
export function laterParts({ part, partCount }: RenderedPart, { page, revision }: PartLinks): Html | false {
  if (partCount === 1) return false
  const isLast = part === partCount
  return html`<nav class="parts" id="later-parts" aria-label="Later parts" data-page="${page}"${
    revision !== undefined && html` data-revision="${revision}"`
  } data-next="${part + 1}" data-count="${partCount}"${isLast && part === 1 && html` hidden`}>${
    !isLast &&
    html`<a class="button small second" rel="next" href="${partUrl(page, part + 1, revision)}">Next part</a> `
  }<span class="hint">Part ${part} of ${partCount}</span></nav>`
}

/** @param ticks the path for ticked checkboxes; null if the reader may not edit */
export const partFragment = (
  { html: shown, part, partCount, isPlain, isDivided }: RenderedPart,
  ticks: string | null,
): Html =>
  html`<section class="prose part" id="part-${part}" data-part="${part}" data-count="${partCount}"${
    ticks !== null && !isDivided && html` data-ticks="${ticks}"`
  } aria-label="Part ${part} of ${partCount}">
${isPlain && html`<p class="hint">This part takes too long to render, so its source is shown.</p>`}
${new Html(shown)}
</section>`
