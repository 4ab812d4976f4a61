import { LRUCache } from 'lru-cache'
import type { Root, RootContent } from 'mdast'
import { largeTextBytes } from './large-text.ts'
import { type BeforeAutolinks, mayHoldAddress, type Parsed, parseBody } from './parse.ts'
import { byPiece, type Piece } from './pieces.ts'

export interface TokenizableNodes extends Parsed {
  /** Top-level nodes before plain addresses in them became links; only those with such addresses. */
  unlinked: Map<RootContent, RootContent>
}

/** In UTF-16 code units of markdown, whose nodes take at most 40 MB. */
export const maxCachedLength = 256 * 1024

/** Per thread. Analysed texts are rendered next, and of an edited body only the changed parts are parsed. */
const cache = new LRUCache<string, TokenizableNodes>({ maxSize: maxCachedLength })

/** Parsing a shorter body takes little time. */
export function isLong(body: string): boolean {
  return body.length >= largeTextBytes
}

export function cachedNodes(key: string): TokenizableNodes | undefined {
  return cache.get(key)
}

export function cacheNodes(key: string, nodes: TokenizableNodes, length: number): void {
  cache.set(key, nodes, { size: length })
}

/** Returns null if the parse does not confirm the pieces. */
export function cacheRun(
  run: Piece[],
  { nodes, unlinked, source, base }: TokenizableNodes,
): TokenizableNodes[] | null {
  const ofPieces = byPiece(nodes, run, ({ position }) => [
    position!.start.offset! - base,
    position!.end.offset! - base,
  ])
  if (!ofPieces) return null
  return run.map(({ start, end, key }, index) => {
    const own = ofPieces[index]!
    const linked = own.flatMap((node) => {
      const before = unlinked.get(node)
      return before ? [[node, before] as const] : []
    })
    const piece = { source, base: base + start - run[0]!.start, nodes: own, unlinked: new Map(linked) }
    if (end > start) cacheNodes(key, piece, end - start)
    return piece
  })
}

export function cachedLength(): number {
  return cache.calculatedSize
}

export function clearNodes(): void {
  cache.clear()
}

/** As `parseBody`. @throws RangeError if it nests too deep */
export function parseTokenizable(body: string, inspect?: BeforeAutolinks): TokenizableNodes {
  let unlinked: TokenizableNodes['unlinked'] = new Map()
  const parsed = parseBody(body, (root, source) => {
    if (mayHoldAddress.test(source)) unlinked = markableIn(root, source)
    inspect?.(root, source)
  })
  return { ...parsed, unlinked }
}

/** What mentions and tokens have in their source. An `&` can represent any character. */
const mayHoldMark = /[@&]|\[\[/

function markableIn({ children }: Root, source: string): TokenizableNodes['unlinked'] {
  const markable = children.filter(({ position }) =>
    mayHoldMark.test(source.slice(position!.start.offset, position!.end.offset)),
  )
  return new Map(markable.map((node) => [node, structuredClone(node)]))
}
