import { Document, isMap, isNode, isScalar, type Pair, parseDocument, visit, type YAMLMap } from 'yaml'

/** Null, empty text and an empty list remove the field. */
export type FieldValue = string | number | boolean | readonly (string | number)[] | null

class FrontmatterError extends Error {
  override readonly name = 'FrontmatterError'
}

interface Parts {
  opening: string
  yaml: string
  /** Everything from the closing fence, or the whole file without frontmatter. */
  rest: string
  lineEnd: string
}

/** Returns the author's fields. @throws FrontmatterError */
export function fieldsIn(text: string): Record<string, unknown> {
  return (parse(partsOf(text).yaml).toJS() ?? {}) as Record<string, unknown>
}

/** Changes fields and keeps everything else byte for byte; new keys come last. @throws FrontmatterError */
export function setFields(text: string, fields: Readonly<Record<string, FieldValue>>): string {
  const parts = partsOf(text)
  const yaml = Object.entries(fields).reduce(
    (current, [key, value]) => withField(current, key, value, parts.lineEnd),
    parts.yaml,
  )
  if (parts.opening !== '') return parts.opening + yaml + parts.rest
  return yaml === '' ? text : `---${parts.lineEnd}${yaml}---${parts.lineEnd}${parts.rest}`
}

function withField(yaml: string, key: string, value: FieldValue, lineEnd: string): string {
  const pair = pairIn(parse(yaml), key)
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (!pair) {
    if (isEmpty) return yaml
    return (
      yaml + (yaml === '' || yaml.endsWith('\n') ? '' : lineEnd) + formatField(key, value, lineEnd) + lineEnd
    )
  }
  const { start, end } = rangeOf(yaml, pair)
  if (!isEmpty) {
    const isLast = /^[ \t]*(?:\r?\n|$)/.test(yaml.slice(end))
    return yaml.slice(0, start) + formatField(key, value, lineEnd, isLast) + yaml.slice(end)
  }
  const nextLine = yaml.indexOf('\n', end) + 1
  return yaml.slice(0, start) + (nextLine === 0 ? '' : yaml.slice(nextLine))
}

/** Lists stay on one line. @param isLast whether a text may be a block: it ends the frontmatter */
function formatField(key: string, value: FieldValue, lineEnd: string, isLast = true): string {
  const document = new Document({ [key]: value })
  visit(document, {
    Seq: (_, list) => {
      list.flow = true
    },
  })
  return document
    .toString({ lineWidth: 0, flowCollectionPadding: false, blockQuote: isLast, doubleQuotedAsJSON: true })
    .replace(/\n$/, '')
    .replaceAll('\n', lineEnd)
}

/** The range of key and value, without a trailing comment. */
function rangeOf(yaml: string, { key, value }: Pair): { start: number; end: number } {
  const start = isNode(key) ? key.range![0] : 0
  const valueEnd = isNode(value) ? value.range![1] : start
  const colon = yaml.indexOf(':', isNode(key) ? key.range![1] : start) + 1
  const text = yaml.slice(start, Math.max(valueEnd, colon))
  return { start, end: start + text.trimEnd().length }
}

function parse(yaml: string) {
  const document = parseDocument(yaml)
  if (document.errors.length === 0 && (document.contents === null || isMap(document.contents)))
    return document
  throw new FrontmatterError(
    `The frontmatter cannot be read: ${document.errors[0]?.message.split('\n')[0] ?? 'it holds no fields'}. Fix it in the editor.`,
  )
}

function pairIn({ contents }: ReturnType<typeof parse>, key: string): Pair | undefined {
  return (contents as YAMLMap | null)?.items.find((pair) => isScalar(pair.key) && pair.key.value === key)
}

function partsOf(text: string): Parts {
  const [opening, lineEnd] = /^\ufeff?---[ \t]*(\r?\n)/.exec(text) ?? []
  if (opening === undefined || lineEnd === undefined)
    return { opening: '', yaml: '', rest: text, lineEnd: text.includes('\r\n') ? '\r\n' : '\n' }
  const closing = /^---[ \t]*(?:\r?\n|$)/m.exec(text.slice(opening.length))
  if (!closing) return { opening: '', yaml: '', rest: text, lineEnd }
  const end = opening.length + closing.index
  return { opening, yaml: text.slice(opening.length, end), rest: text.slice(end), lineEnd }
}
