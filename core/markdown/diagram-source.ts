/** Rewrites Mermaid syntax that the library does not know, such as front matter and character codes. */

interface PreparedSource {
  text: string
  /** By placeholder, a private-use character that the source does not contain. */
  characters: Map<string, string>
}

const namedCharacters: Record<string, string> = {
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
  nbsp: ' ',
  num: '#',
}

const frontMatter = /^\s*---[ \t]*\n.*?\n[ \t]*---[ \t]*(?:\n|$)/s
const control = /(?![\t\n])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu

export function prepareSource(source: string): PreparedSource {
  const clean = source.replace(/\r\n?/g, '\n').replace(control, '').replace(frontMatter, '')
  const { text, characters } = withPlaceholders(clean)
  return { text: isFlowchart(text) ? flowchart(text) : text, characters }
}

/** Mermaid writes special characters as `#34;` and `#quot;`. */
function withPlaceholders(source: string): PreparedSource {
  const characters = new Map<string, string>()
  const standIns = new Map<string, string>()
  let next = 0xe000
  const standInFor = (character: string): string | null => {
    const existing = standIns.get(character)
    if (existing !== undefined) return existing
    while (next <= 0xf8ff && source.includes(String.fromCharCode(next))) next++
    if (next > 0xf8ff) return null
    const standIn = String.fromCharCode(next++)
    standIns.set(character, standIn)
    characters.set(standIn, character)
    return standIn
  }
  const text = source.replace(/#(\d{1,7}|[a-z]{2,5});/g, (code: string, name: string) => {
    const character = /^\d/.test(name) ? characterOf(Number(name)) : (namedCharacters[name] ?? null)
    return (character !== null && standInFor(character)) || code
  })
  return { text, characters }
}

function characterOf(code: number): string | null {
  const isAny = code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isAny ? String.fromCodePoint(code).replace(control, ' ') : null
}

const isFlowchart = (text: string): boolean => {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.trim().startsWith('%%'))
  return first !== undefined && /^\s*(?:graph|flowchart)\b/i.test(first)
}

const piece =
  /"[^"]*"|\[[^\]\n]*\]|\([^)\n]*\)|\{[^}\n]*\}|\|[^|\n]*\||(?<arrow><?(?:-{2,}>|-\.+->|={2,}>|-{3,}|-\.+-|={3,}|(?:--|==|-\.-)[xo](?=\s)))(?<label>\|[^|\n]*\|)?|(?<opening>--|-\.|==)|(?<end>;)/g

function flowchart(text: string): string {
  const lines = text.split('\n').filter((line) => !/^\s*(?:%%|click\s|accTitle|accDescr)/.test(line))
  return lines
    .map((line) => (/^\s*(?:classDef|style|linkStyle)\s/.test(line) ? line : addSpaces(line)))
    .join('\n')
    .replace(/^(\s*(?:graph|flowchart))[ \t]*$/im, '$1 TD')
}

const addSpaces = (line: string): string =>
  line.replace(piece, (found, ...rest) => {
    const { arrow, label = '', opening, end } = rest.at(-1) as Partial<Record<string, string>>
    if (arrow !== undefined) return ` ${simplifyArrow(arrow)}${label} `
    if (opening !== undefined) return ` ${opening} `
    return end === undefined ? found.replace(/"`([^`]*)`"/g, '"$1"') : '\n'
  })

function simplifyArrow(arrow: string): string {
  const start = arrow.startsWith('<') ? '<' : ''
  const hasHead = /[>xo]$/.test(arrow)
  if (arrow.includes('=')) return `${start}${hasHead ? '==>' : '==='}`
  if (arrow.includes('.')) return `${start}${hasHead ? '-.->' : '-.-'}`
  return `${start}${hasHead ? '-->' : '---'}`
}
