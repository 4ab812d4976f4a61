import type { LinkRow } from '../../data/tables/links.ts'

/** A link as its writer means it (`docs/interface.md#links-between-files`). */
export interface Reference {
  kind: LinkRow['kind']
  /** The number of a card or pull request, the id of a document, a title, a path with its percent-encoding taken off. */
  target: string
  /** Of a heading: its anchor, or its text. */
  anchor: string | null
  /** The id of a block, in lower case. */
  block: string | null
  /** What is to be shown in place of the title. */
  label: string | null
  /** The target is to be shown where the link stands. */
  isEmbed: boolean
}

/**
 * Reads a link as it stands in a file: a token in brackets, or the destination of a markdown link.
 * @returns null for one that leads nowhere outside its own file
 */
export function parseReference(token: string): Reference | null {
  const brackets = /^(!?)\[\[(.*)\]\]$/s.exec(token)
  return brackets ? parseBrackets(brackets[2]!, brackets[1] === '!') : parsePath(token)
}

function parseBrackets(written: string, isEmbed: boolean): Reference | null {
  // In a table's cell the bar has to be escaped.
  const text = written.replace(/\\([!-/:-@[-`{-~])/g, '$1')
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
  const target = decoded(path!)
  if (!target) return null
  return { kind: 'path', target, ...fragmentOf(decoded(fragment) ?? ''), label: null, isEmbed: false }
}

function byName(name: string): Pick<Reference, 'kind' | 'target'> {
  const [, prefix, number] = /^(c|pr):(\d{1,9})$/i.exec(name) ?? []
  if (number !== undefined)
    return { kind: prefix!.toLowerCase() === 'c' ? 'card' : 'pull', target: String(Number(number)) }
  const id = /^[np]:(doc_[0-9a-z]{26})$/i.exec(name)?.[1]
  return id === undefined ? { kind: 'title', target: name } : { kind: 'id', target: id.toLowerCase() }
}

/** Of several headings, one below the other as Obsidian writes them, the last counts. */
function fragmentOf(fragment: string): Pick<Reference, 'anchor' | 'block'> {
  const last = fragment.slice(fragment.lastIndexOf('#') + 1).trim()
  if (last.startsWith('^')) return { anchor: null, block: last.slice(1).toLowerCase() || null }
  return { anchor: last || null, block: null }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
