import { DavError } from './dav-error.ts'

interface Condition {
  isNot: boolean
  token?: string
  tag?: string
}

interface List {
  resource: string | null
  conditions: Condition[]
}

const part = /\s*(?:<([^>]*)>|\[((?:W\/)?"[^"]*")\]|([()])|(Not)\b)/iy

/** Parses `If` (RFC 4918, 10.4), of whose lists one must hold. @throws DavError 400 if it is malformed */
export function parseIfHeader(header: string): List[] {
  const lists: List[] = []
  let resource: string | null = null
  let list: List | null = null
  let isNot = false
  part.lastIndex = 0
  const text = header.trim()
  while (part.lastIndex < text.length) {
    const [, bracketed, tag, parenthesis, not] = part.exec(text) ?? malformed()
    if (!list && bracketed !== undefined) resource = bracketed
    else if (!list && parenthesis === '(') list = { resource, conditions: [] }
    else if (!list || parenthesis === '(') malformed()
    else if (parenthesis === ')') {
      if (list.conditions.length === 0 || isNot) malformed()
      lists.push(list)
      list = null
    } else if (not !== undefined) isNot = isNot ? malformed() : true
    else {
      list.conditions.push({
        isNot,
        ...(tag === undefined ? { token: bracketed! } : { tag: unquoteTag(tag) }),
      })
      isNot = false
    }
  }
  if (list || lists.length === 0) malformed()
  return lists
}

function malformed(): never {
  throw new DavError(400, 'The header If is malformed.')
}

/** Weakness is ignored: `W/` only marks a file that has just changed. */
const unquoteTag = (tag: string): string => tag.replace(/^W\//, '').slice(1, -1)

/** Parses `If-Match` or `If-None-Match`; null for a malformed tag. */
export function tagsIn(header: string): (string | null)[] | '*' {
  if (header.trim() === '*') return '*'
  return header.split(',').map((one) => /^(?:W\/)?"([^"]*)"$/.exec(one.trim())?.[1] ?? null)
}
