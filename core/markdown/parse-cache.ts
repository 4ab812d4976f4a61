import type { Root, RootContent } from 'mdast'
import { largeTextBytes } from './large-text.ts'
import { type BeforeAutolinks, mayHoldAddress, type Parsed, parseBody } from './parse.ts'

/** A parsed body with what is needed to mark mentions and tokens. */
interface TokenizableBody extends Parsed {
  /** By top-level node: the node before plain addresses in it became links. Only nodes with such addresses. */
  unlinked: Map<RootContent, RootContent>
}

interface Recent {
  body: string
  parsed: TokenizableBody
}

/** Long bodies cached on a thread, while memory is not needed. */
const maxCachedParses = 4

/** What was written is rendered next: a worker that has parsed a long body for analysis need not parse it again. */
const recent: WeakRef<Recent>[] = []

/** In UTF-16 code units: a longer body is only held weakly; its tree takes at most 40 MB. */
const maxCachedLength = 256 * 1024

/** Keeps the latest from being collected before it is rendered. */
let cachedLarge: Recent | null = null

/** As `parseBody`, and caches a long body. @throws RangeError if it nests too deep */
export function parseAndCache(body: string, inspect: BeforeAutolinks): Parsed {
  if (body.length < largeTextBytes) return parseBody(body, inspect)
  const parsed = parseMarkable(body, inspect)
  const latest = { body, parsed }
  cachedLarge = body.length <= maxCachedLength ? latest : null
  recent.push(new WeakRef(latest))
  if (recent.length > maxCachedParses) recent.shift()
  return parsed
}

/** @throws RangeError if it nests too deep */
export function parseForDisplay(body: string): TokenizableBody {
  const known = cachedParse(body)
  if (cachedLarge?.body === body) cachedLarge = null
  return known ?? parseMarkable(body)
}

export function cachedParse(body: string): TokenizableBody | undefined {
  return recent.map((remembered) => remembered.deref()).find((known) => known?.body === body)?.parsed
}

function parseMarkable(body: string, inspect?: BeforeAutolinks): TokenizableBody {
  let unlinked: TokenizableBody['unlinked'] = new Map()
  const parsed = parseBody(body, (root, source) => {
    if (mayHoldAddress.test(source)) unlinked = markableIn(root, source)
    inspect?.(root, source)
  })
  return { ...parsed, unlinked }
}

/** What mentions and tokens have in their source. An `&` can represent any character. */
const mayHoldMark = /[@&]|\[\[/

function markableIn({ children }: Root, source: string): TokenizableBody['unlinked'] {
  const markable = children.filter(({ position }) =>
    mayHoldMark.test(source.slice(position!.start.offset, position!.end.offset)),
  )
  return new Map(markable.map((node) => [node, structuredClone(node)]))
}
