import { escapeHtml } from '../text/escape-html.ts'
import type { Diagram } from './types.ts'

/** Cannot occur in rendered text, which has no `<`, or in an attribute, which has no `"`. */
const placeholder = /<img data-diagram="(\d+)">/g

export const insertDrawings = (parts: readonly string[], drawings: readonly string[]): string[] =>
  parts.map((part) => part.replace(placeholder, (_, number: string) => drawings[Number(number)] ?? ''))

const reasons: Record<Extract<Diagram, { kind: 'undrawn' }>['reason'], string> = {
  unknown: 'This diagram type is not supported, or its source has an error. Source:',
  empty: 'This diagram shows nothing yet. This is its source:',
  'too large': 'This diagram is too large to be drawn. This is its source:',
  'too costly': 'This diagram would take too long to draw. This is its source:',
}

/** The drawing is an image, which runs and loads nothing. */
export function diagramHtml(source: string, diagram: Diagram): string {
  const code = `<pre class="mermaid" dir="ltr" tabindex="0">${escapeHtml(source)}</pre>`
  if (diagram.kind === 'undrawn') return `<figcaption>${reasons[diagram.reason]}</figcaption>${code}`
  const { name, width, height, svg } = diagram
  const dataUrl = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
  const image = `<img src="${dataUrl}" alt="${name}. Its source follows." width="${width}" height="${height}" decoding="async">`
  return `<div class="drawing" role="group" aria-label="${name}" tabindex="0">${image}</div><details><summary>Source</summary>${code}</details>`
}
