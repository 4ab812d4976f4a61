/**
 * What the library that draws Mermaid takes more literally than Mermaid does: front matter, codes of characters, and in
 * flowcharts arrows without spaces around them, several statements on a line, and lines that draw nothing.
 */

/** A source as the library takes it, and what stands for the codes of characters in it. */
interface PreparedSource {
  text: string
  /** Each stand-in is one character of Unicode's private use area, which the source does not hold. */
  characters: Map<string, string>
}

/** What a code that is written by name stands for. Others stay as they are written. */
const named: Record<string, string> = {
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
  nbsp: ' ',
  num: '#',
}

const frontMatter = /^\s*---[ \t]*\n.*?\n[ \t]*---[ \t]*(?:\n|$)/s
/** Cannot be in XML at all. */
const control = /(?![\t\n])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu

/** @param source as it stands in its fence */
export function prepareSource(source: string): PreparedSource {
  const clean = source.replace(/\r\n?/g, '\n').replace(control, '').replace(frontMatter, '')
  const { text, characters } = withPlaceholders(clean)
  return { text: isFlowchart(text) ? flowchart(text) : text, characters }
}

/** Mermaid writes `#34;` and `#quot;` for characters that would mean something to it. */
function withPlaceholders(source: string): PreparedSource {
  const characters = new Map<string, string>()
  const standIns = new Map<string, string>()
  let next = 0xe000
  const standInFor = (character: string): string | null => {
    const known = standIns.get(character)
    if (known !== undefined) return known
    while (next <= 0xf8ff && source.includes(String.fromCharCode(next))) next++
    if (next > 0xf8ff) return null
    const standIn = String.fromCharCode(next++)
    standIns.set(character, standIn)
    characters.set(standIn, character)
    return standIn
  }
  const text = source.replace(/#(\d{1,7}|[a-z]{2,5});/g, (code: string, name: string) => {
    const character = /^\d/.test(name) ? characterOf(Number(name)) : (named[name] ?? null)
    return (character !== null && standInFor(character)) || code
  })
  return { text, characters }
}

/** Null for what no text in XML can hold. */
function characterOf(code: number): string | null {
  const isAny = code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isAny ? String.fromCodePoint(code).replace(control, ' ') : null
}

const isFlowchart = (text: string): boolean => {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.trim().startsWith('%%'))
  return first !== undefined && /^\s*(?:graph|flowchart)\b/i.test(first)
}

/** What is text in a line, which stays as it is, or what is none: an arrow, the beginning of one with text, an end. */
const piece =
  /"[^"]*"|\[[^\]\n]*\]|\([^)\n]*\)|\{[^}\n]*\}|\|[^|\n]*\||(?<arrow><?(?:-{2,}>|-\.+->|={2,}>|-{3,}|-\.+-|={3,}|(?:--|==|-\.-)[xo](?=\s)))(?<label>\|[^|\n]*\|)?|(?<opening>--|-\.|==)|(?<end>;)/g

function flowchart(text: string): string {
  const lines = text.split('\n').filter((line) => !/^\s*(?:%%|click\s|accTitle|accDescr)/.test(line))
  return lines
    .map((line) => (/^\s*(?:classDef|style|linkStyle)\s/.test(line) ? line : spaced(line)))
    .join('\n')
    .replace(/^(\s*(?:graph|flowchart))[ \t]*$/im, '$1 TD')
}

const spaced = (line: string): string =>
  line.replace(piece, (found, ...rest) => {
    const { arrow, label = '', opening, end } = rest.at(-1) as Partial<Record<string, string>>
    if (arrow !== undefined) return ` ${simplifyArrow(arrow)}${label} `
    if (opening !== undefined) return ` ${opening} `
    return end === undefined ? found.replace(/"`([^`]*)`"/g, '"$1"') : '\n'
  })

/** Arrows that are drawn longer, or end in something else, are arrows. */
function simplifyArrow(arrow: string): string {
  const start = arrow.startsWith('<') ? '<' : ''
  const hasHead = /[>xo]$/.test(arrow)
  if (arrow.includes('=')) return `${start}${hasHead ? '==>' : '==='}`
  if (arrow.includes('.')) return `${start}${hasHead ? '-.->' : '-.-'}`
  return `${start}${hasHead ? '-->' : '---'}`
}
