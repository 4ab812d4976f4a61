import type { renderMermaidSVG } from 'beautiful-mermaid'
import { escapeHtml } from '../text/escape-html.ts'
import { prepareSource } from './diagram-source.ts'
import type { Diagram } from './types.ts'

const maxSourceLength = 20_000
const maxDrawingLength = 400_000

/** The drawing's text is 13 pixels high, less than a page's. */
const scale = 1.15

/** The colours of the pages (`server/client/styles/base.css`), which do not apply inside an image. */
const colours = {
  light: '--bg:#fff;--fg:#1f1e1c;--line:#8c867d;--muted:#625e58;--surface:#f5f3ee;--border:#b5afa5;--accent:',
  dark: '--bg:#222220;--fg:#ecebe7;--line:#7d7870;--muted:#aba69d;--surface:#2f2e2b;--border:#625e58;--accent:',
}
const arrows = { light: '#625e58', dark: '#aba69d' }
/** The first series of a chart has the accent colour, the others have these. */
const series = {
  light: ['#2a5fa8', '#7a5300', '#22693c', '#b3261e'],
  dark: ['#8ab4f0', '#e6c274', '#8fd0a4', '#f2a09a'],
}

type ColorScheme = 'light' | 'dark'

function colouring(scheme: ColorScheme, isChart: boolean): string {
  const [accent = '', ...others] = isChart ? series[scheme] : [arrows[scheme]]
  const rest = others.map((colour, index) => `;--xychart-color-${index + 1}:${colour}`)
  return `svg{${colours[scheme]}${accent}${rest.join('')}}`
}

/** Follows the library's styles, and so takes precedence. */
const styleFor = (isChart: boolean): string =>
  `<style>${colouring('light', isChart)}svg{--_text-faint:var(--muted)}
@media (prefers-color-scheme:dark){${colouring('dark', isChart)}}
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}</style>`

const kinds: [beginning: RegExp, name: string][] = [
  [/^(?:graph|flowchart)\b/i, 'Flowchart'],
  [/^stateDiagram/i, 'State diagram'],
  [/^sequenceDiagram/i, 'Sequence diagram'],
  [/^classDiagram/i, 'Class diagram'],
  [/^erDiagram/i, 'Entity relationship diagram'],
  [/^xychart/i, 'Chart'],
]

type Library = typeof renderMermaidSVG

export async function loadLibrary(): Promise<Library> {
  const { renderMermaidSVG } = await import('beautiful-mermaid')
  renderMermaidSVG('graph TD\n  a --> b')
  return renderMermaidSVG
}

/** As slow as the source makes it: for workers. @throws RangeError if it nests too deep */
export function drawDiagram(library: Library, source: string): Diagram {
  if (source.length > maxSourceLength) return { kind: 'undrawn', reason: 'too large' }
  const { text, characters } = prepareSource(source)
  const name = nameOf(text)
  if (name === null) return { kind: 'undrawn', reason: 'unknown' }
  const drawn = svgOf(library, text)
  const [opening, width = 0, height = 0] = drawn === null ? [] : sizeOf(drawn)
  if (drawn === null || opening === undefined) return { kind: 'undrawn', reason: 'unknown' }
  if (!(width > 0 && height > 0)) return { kind: 'undrawn', reason: 'empty' }
  if (drawn.length > maxDrawingLength) return { kind: 'undrawn', reason: 'too large' }
  const inside = addColors(sanitizeSvg(drawn.slice(opening.length, drawn.lastIndexOf('</svg>'))))
  return {
    kind: 'drawn',
    name,
    width: Math.ceil(width * scale),
    height: Math.ceil(height * scale),
    svg: `${withoutStyle(opening)}${restoreCharacters(inside, characters)}${styleFor(name === 'Chart')}</svg>`,
  }
}

function nameOf(text: string): string | null {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.trim().startsWith('%%'))
  return kinds.find(([beginning]) => beginning.test(first?.trim() ?? ''))?.[1] ?? null
}

function svgOf(library: Library, text: string): string | null {
  try {
    return library(text, {
      font: 'system-ui',
      padding: 16,
      transparent: true,
      accent: series.light[0]!,
    })
  } catch (error) {
    if (error instanceof RangeError) throw error
    return null
  }
}

function sizeOf(svg: string): [opening: string, width: number, height: number] | [] {
  const found = /^<svg [^>]*?width="([\d.]+)" height="([\d.]+)"[^>]*>/.exec(svg)
  return found ? [found[0], Number(found[1]), Number(found[2])] : []
}

const withoutStyle = (opening: string): string => opening.replace(/ (?:style|data-[\w-]+)="[^"]*"/g, '')

const sanitizeSvg = (svg: string): string =>
  svg.replace(/@import url\('[^']*'\);/g, '').replace(/ data-[\w-]+="[^"]*"/g, '')

/** Text on a coloured shape is dark in every theme. */
const addColors = (svg: string): string =>
  svg.replace(
    /(<g class="node">\s*<[a-z]+ [^>]*fill=")(?!var\()([^"]+)("[^>]*>(?:\s*<(?:rect|line|ellipse|circle|polygon|path) [^>]*>)*\s*<text [^>]*fill=")var\(--_text\)/g,
    '$1$2$3#1f1e1c',
  )

const restoreCharacters = (svg: string, characters: Map<string, string>): string =>
  characters.size === 0
    ? svg
    : svg.replace(/[\ue000-\uf8ff]/g, (one) => {
        const character = characters.get(one)
        return character === undefined ? one : escapeHtml(character)
      })
