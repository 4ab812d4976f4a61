import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml'
import { takeFrontmatter } from './parse-allowance.ts'

export interface YamlError {
  what: string
  at: number
  remedy: string
}

type YamlMap =
  | { kind: 'map'; fields: Record<string, unknown> }
  | { kind: 'other' }
  | { kind: 'fault'; fault: YamlError }

/** Nesting of frontmatter; the map itself is level one. */
const maxDepth = 16

/** Checked before the parser, which recurses: columns before a text (each level takes one), open brackets. */
const maxIndent = 256
const maxOpenBrackets = 64

/** Refuses what YAML would expand, repeat or execute, so that the fields are exactly what is written. */
export function parseYamlMap(text: string): YamlMap {
  if (!/^[ \t]*[^ \t\r\n#]/m.test(text)) return { kind: 'map', fields: {} }
  const fault = lineError(text)
  if (fault) return { kind: 'fault', fault }
  takeFrontmatter(text.length)
  const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'error' })
  const [error] = document.errors
  if (error)
    return yamlError(
      `is not valid YAML: ${firstSentence(error.message)}`,
      error.pos[0],
      'Fix that line (put a value that contains a colon in quotes)',
    )
  const { contents } = document
  if (isAlias(contents) || (contents && !isMap(contents) && (contents.anchor || contents.tag))) {
    return nodeError(contents, 1) ?? { kind: 'other' }
  }
  if (!isMap(contents)) return { kind: 'other' }
  return (
    shapeError(contents, text) ?? nodeError(contents, 1) ?? { kind: 'map', fields: plainFields(contents) }
  )
}

function yamlError(what: string, at: number, remedy: string): { kind: 'fault'; fault: YamlError } {
  return { kind: 'fault', fault: { what, at, remedy } }
}

function firstSentence(message: string): string {
  return message.split(/[\n;]/, 1)[0]!.trim()
}

function lineError(text: string): YamlError | null {
  const lone = /\r(?!\n)/.exec(text)
  if (lone)
    return { what: 'has a carriage return alone', at: lone.index, remedy: 'End the line with a line feed' }
  const marker = /(?<![^\n])(?:---|\.\.\.)(?=\s|$)/.exec(text)
  if (marker) return { what: 'holds a document marker', at: marker.index, remedy: 'Leave it out' }
  let open = 0
  for (const line of text.matchAll(/[^\n]+/g)) {
    if (/^[^\s\]}]/.test(line[0])) open = 0
    for (const [bracket] of line[0].matchAll(/[[\]{}]/g)) {
      open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1)
      if (open > maxOpenBrackets) return tooDeep(line.index)
    }
    const indent = /^(?:[ \t]|[-?:](?=\s|$))*/.exec(line[0])![0]
    if (indent.length > maxIndent) return tooDeep(line.index)
  }
  return null
}

function tooDeep(at: number): YamlError {
  return { what: `is nested deeper than ${maxDepth} levels`, at, remedy: 'Flatten it' }
}

/** Server keys are added above the author's lines, which requires a block map without indentation. */
function shapeError(map: YAMLMap, text: string) {
  const remedy = 'Write one `key: value` a line, at the start of the line'
  if (map.flow) return yamlError('is a map in braces', map.range![0], remedy)
  for (const { key } of map.items) {
    const at = isScalar(key) ? key.range![0] : map.range![0]
    if (!isScalar(key) || (at > 0 && text[at - 1] !== '\n'))
      return yamlError('has a key that is indented or marked', at, remedy)
  }
  return null
}

function nodeError(node: unknown, depth: number): { kind: 'fault'; fault: YamlError } | null {
  if (!isNode(node)) return null
  const at = node.range?.[0] ?? 0
  if (isAlias(node)) return yamlError('holds an alias', at, 'Write the value out')
  if (node.anchor) return yamlError('holds an anchor', at, 'Write the value without it')
  if (node.tag) return yamlError('holds an explicit tag', at, 'Write the value without it')
  if (isScalar(node)) return null
  if (depth > maxDepth) return { kind: 'fault', fault: tooDeep(at) }
  if (isSeq(node)) return firstError(node.items, (item) => nodeError(item, depth + 1))
  const keys = new Set<string>()
  return firstError(node.items, ({ key, value }) => {
    if (!isScalar(key) || key.value === null)
      return yamlError('has a key that is not plain text', at, 'Give it a name')
    const name = String(key.value)
    const keyAt = key.range![0]
    if (name === '<<') return yamlError('holds a merge key', keyAt, 'Write the keys out')
    if (keys.has(name)) return yamlError(`has the key \`${name}\` twice`, keyAt, 'Leave one of them out')
    keys.add(name)
    return nodeError(key, depth + 1) ?? nodeError(value, depth + 1)
  })
}

function isNode(value: unknown): value is Exclude<Node, { items: never }> {
  return isAlias(value) || isScalar(value) || isMap(value) || isSeq(value)
}

function firstError<Item, Found>(items: Item[], check: (item: Item) => Found | null): Found | null {
  for (const item of items) {
    const found = check(item)
    if (found) return found
  }
  return null
}

/** By way of JSON, in which `__proto__` is an ordinary key and every number is finite. */
function plainFields(map: YAMLMap): Record<string, unknown> {
  return JSON.parse(JSON.stringify(map.toJSON()))
}
