import type { LinkRow } from '../../data/tables/links.ts'
import { percentDecode } from '../text/percent-decode.ts'

export interface Reference {
  kind: LinkRow['kind']
  /** A card's or pull request's number, a document's id, a title, or a decoded path. */
  target: string
  /** A heading's anchor or text. */
  anchor: string | null
  /** In lower case. */
  block: string | null
  label: string | null
  isEmbed: boolean
}

/** Parses a token in brackets or a markdown link's destination. Null for a link within its own file. */
export function parseReference(token: string): Reference | null {
  const brackets = /^(!?)\[\[(.*)\]\]$/s.exec(token)
  return brackets ? parseBrackets(brackets[2]!, brackets[1] === '!') : parsePath(token)
}

function parseBrackets(content: string, isEmbed: boolean): Reference | null {
  // In a table's cell the bar is escaped.
  const text = content.replace(/\\([!-/:-@[-`{-~])/g, '$1')
  const bar = text.indexOf('|')
  const destination = bar === -1 ? text : text.slice(0, bar)
  const hash = destination.indexOf('#')
  const name = (hash === -1 ? destination : destination.slice(0, hash)).trim()
  if (name === '') return null
  const label = bar === -1 ? '' : text.slice(bar + 1).trim()
  return {
    ...byName(name),
    ...fragmentOf(hash === -1 ? '' : destination.slice(hash + 1)),
    label: label === '' ? null : label,
    isEmbed,
  }
}

function parsePath(destination: string): Reference | null {
  const [, path, fragment = ''] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(destination)!
  const target = percentDecode(path!)
  if (!target) return null
  return { kind: 'path', target, ...fragmentOf(percentDecode(fragment) ?? ''), label: null, isEmbed: false }
}

function byName(name: string): Pick<Reference, 'kind' | 'target'> {
  const [, prefix, number] = /^(c|pr):(\d{1,9})$/i.exec(name) ?? []
  if (number !== undefined)
    return { kind: prefix!.toLowerCase() === 'c' ? 'card' : 'pull', target: String(Number(number)) }
  const id = /^[np]:(doc_[0-9a-z]{26})$/i.exec(name)?.[1]
  return id === undefined ? { kind: 'title', target: name } : { kind: 'id', target: id.toLowerCase() }
}

/** Obsidian writes nested headings; the last counts. */
function fragmentOf(fragment: string): Pick<Reference, 'anchor' | 'block'> {
  const last = fragment.slice(fragment.lastIndexOf('#') + 1).trim()
  if (last.startsWith('^')) return { anchor: null, block: last.slice(1).toLowerCase() || null }
  return { anchor: last || null, block: null }
}
