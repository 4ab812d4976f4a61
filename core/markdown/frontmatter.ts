import { type FencedText, findFence } from './fence.ts'
import { serverKeys } from './server-keys.ts'
import type { Frontmatter } from './types.ts'
import { parseYamlMap, type YamlError } from './yaml-map.ts'

/** The author's part of a fence, in UTF-16 code units. */
export interface FenceMap extends Omit<Frontmatter, 'bodyStart'> {
  kind: 'map'
  source: FencedText
}

type Fence = FenceMap | { kind: 'text' } | { kind: 'faulty'; message: string }

const maxOwnLength = 64 * 1024
const maxFenceLength = 512 * 1024

const serverKeyLine = keyLine([...serverKeys].join('|'))
const statusLine = keyLine('status')

export function parseFence(text: string): Fence {
  const source = findFence(text)
  if (!source) return { kind: 'text' }
  const tooLong = 'The frontmatter is longer than 64 kB: move some of it into the text.'
  if (source.content.length > maxFenceLength) return { kind: 'faulty', message: tooLong }
  const lines = ownLines(source.content)
  const own = lines.map(({ text }) => text).join('')
  if (own.length > maxOwnLength) return { kind: 'faulty', message: tooLong }
  const yaml = parseYamlMap(own)
  if (yaml.kind === 'fault') return { kind: 'faulty', message: frontmatterError(yaml.fault, own, lines) }
  if (yaml.kind === 'other') {
    if (own.length === source.content.length) return { kind: 'text' }
    const message =
      'The frontmatter holds more than `key: value` lines: leave the rest out, or move it into the text.'
    return { kind: 'faulty', message }
  }
  const serverKey = Object.keys(yaml.fields).find((key) => serverKeys.has(key))
  if (serverKey !== undefined) {
    return {
      kind: 'faulty',
      message: `The frontmatter key \`${serverKey}\` is the server's own: leave it out.`,
    }
  }
  return { kind: 'map', source, own, statusRange: statusRange(lines), fields: yaml.fields }
}

interface Line {
  text: string
  /** 1-based, in the file. */
  number: number
}

function keyLine(keys: string): RegExp {
  return new RegExp(`^(["']?)(?:${keys})\\1[ \\t]*:(?=\\s|$)`)
}

/** The lines without server keys, removed by line, so that what a read added needs no YAML parser. */
function ownLines(content: string): Line[] {
  const lines = (content.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((text, index) => ({ text, number: index + 2 }))
  const own: Line[] = []
  for (let index = 0; index < lines.length; ) {
    const line = lines[index]!
    if (serverKeyLine.test(line.text)) {
      index = entryEnd(lines, index)
    } else {
      own.push(line)
      index++
    }
  }
  return own
}

/** The index after an entry. Comments and blank lines after it are not part of it. */
function entryEnd(lines: Line[], first: number): number {
  let end = first + 1
  for (let index = end; index < lines.length; index++) {
    const { text } = lines[index]!
    if (/^\s*(?:#|$)/.test(text)) continue
    if (!/^(?:[ \t]|-(?=\s)|[\]}])/.test(text)) break
    end = index + 1
  }
  return end
}

function statusRange(lines: Line[]): [start: number, end: number] | null {
  const first = lines.findIndex(({ text }) => statusLine.test(text))
  if (first === -1) return null
  const length = (part: Line[]) => part.reduce((total, { text }) => total + text.length, 0)
  const start = length(lines.slice(0, first))
  return [start, start + length(lines.slice(first, entryEnd(lines, first)))]
}

function frontmatterError({ what, at, remedy }: YamlError, own: string, lines: Line[]): string {
  const index = own.slice(0, at).split('\n').length - 1
  const number = lines[Math.min(index, lines.length - 1)]?.number ?? 1
  return `The frontmatter ${what} (line ${number}). ${remedy}, or leave the frontmatter out.`
}
