import type { Root, RootContent } from 'mdast'
import { largeTextBytes } from './large-text.ts'
import { type BeforeAutolinks, mayHoldAddress, type Parsed, parseBody } from './parse.ts'

/** A parsed body with what is needed for marking mentions and tokens in it. */
interface TokenizableBody extends Parsed {
  /**
   * The nodes in which something may be marked, as they were before the addresses in their text became links, by what they
   * are now. None of those that hold no address.
   */
  unlinked: Map<RootContent, RootContent>
}

interface Recent {
  body: string
  parsed: TokenizableBody
}

/** So many long bodies are remembered on a thread, for as long as nothing else needs their memory. */
const maxCachedParses = 4

/**
 * What was written is looked at next: a thread that has parsed a long body to learn what is in it need not parse it once
 * more to show it.
 */
const recent: WeakRef<Recent>[] = []

/** So long the latest of them is held until it was shown, in UTF-16 code units: its tree takes 40 MB at most. */
const maxCachedLength = 256 * 1024

/** Every few parses the garbage is collected, and what is only remembered goes with it. */
let cachedLarge: Recent | null = null

/**
 * As `parseBody`, and remembers what came of a long body.
 * @throws RangeError when it nests too deep
 */
export function parseAndCache(body: string, inspect: BeforeAutolinks): Parsed {
  if (body.length < largeTextBytes) return parseBody(body, inspect)
  const parsed = parseMarkable(body, inspect)
  const latest = { body, parsed }
  cachedLarge = body.length <= maxCachedLength ? latest : null
  recent.push(new WeakRef(latest))
  if (recent.length > maxCachedParses) recent.shift()
  return parsed
}

/**
 * A body to be shown: as this thread has parsed it before, or parsed now.
 * @throws RangeError when it nests too deep
 */
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

/** What mentions and tokens have in their source. An `&` can stand for any character. */
const mayHoldMark = /[@&]|\[\[/

function markableIn({ children }: Root, source: string): TokenizableBody['unlinked'] {
  const markable = children.filter(({ position }) =>
    mayHoldMark.test(source.slice(position!.start.offset, position!.end.offset)),
  )
  return new Map(markable.map((node) => [node, structuredClone(node)]))
}
