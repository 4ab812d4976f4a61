/** Longer ones stay as they are written, so that the time is linear. */
const label = '[^\\[\\]]{1,500}'
const destination = '(?:<[^<>\\n]{0,1000}>|[^\\s()]{0,1000}(?:\\([^\\s()]{0,200}\\)[^\\s()]{0,1000})?)'
const title = '(?:[ \\t]{1,10}(?:"[^"\\n]{0,300}"|\'[^\'\\n]{0,300}\'))?'

const token = /!?\[\[[^[\]\r\n]{1,300}\]\]/
const inline = new RegExp(
  [
    `(?<token>${token.source})`,
    '(?<code>`{1,3})(?<inCode>[^`\\n]{1,500})\\k<code>',
    '\\\\(?<escaped>[!-/:-@[-`{-~])',
    `!?\\[(?<label>${label})\\]\\(${destination}${title}(?:\\)|$)`,
    `!\\[\\]\\((?<picture>[^\\s()]{1,1000})(?:\\)|$)`,
    '<(?<address>(?:https?://|mailto:)[^\\s<>]{1,1000})>',
    '(?<marks>\\*{1,3}|~~|__)(?=\\S)',
    '(?<=\\S)(?<closing>\\*{1,3}|~~|__)',
    '(?<![\\p{L}\\p{N}_])_(?=[^\\s_])|(?<=[^\\s_])_(?![\\p{L}\\p{N}_])',
  ].join('|'),
  'gu',
)

const lineStart =
  /^[ \t]{0,12}(?:(?:>[ \t]?)+|#{1,6}[ \t]+|[-+*][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+)+/
const fence = /^[ \t]{0,3}(?:`{3,}|~{3,})/

/** Removes markup, for excerpts. It does not parse: tokens such as `[[c:12]]` and rare markup stay. */
export function readableText(markdown: string): string {
  let isCode = false
  const lines: string[] = []
  for (const line of markdown.split(/\r\n|\n|\r/)) {
    if (fence.test(line)) isCode = !isCode
    else lines.push(isCode ? line : withoutMarkup(line.replace(lineStart, '')))
  }
  return lines.join('\n')
}

function withoutMarkup(line: string): string {
  if (!/[\\`*_~[<]/.test(line)) return line
  return line.replace(inline, (...match) => {
    const groups = match.at(-1) as Record<string, string | undefined>
    const { token, inCode, escaped, label, picture, address } = groups
    return (
      token ??
      inCode ??
      escaped ??
      (label && withoutMarkup(label)) ??
      (picture && nameIn(picture)) ??
      address ??
      ''
    )
  })
}

const nameIn = (destination: string): string => destination.replace(/^.*\//, '')
