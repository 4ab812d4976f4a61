import { fragmentKey } from './fragment-cache.ts'
import {
  cachedNodes,
  cacheNodes,
  cacheRun,
  isLong,
  parseTokenizable,
  type TokenizableNodes,
} from './parse-cache.ts'
import { isCacheable, piecesOf, runsOf, textOfRun } from './pieces.ts'

export interface BodyPart extends TokenizableNodes {
  /** Where the part begins in the body, in UTF-16 code units; `base` is that place in `source`. */
  start: number
}

/** Parses only fragments of a long body that are not cached. @throws RangeError if it nests too deep */
export function parseForDisplay(body: string): BodyPart[] {
  if (!isLong(body) || !isCacheable(body)) return [{ ...parseTokenizable(body), start: 0 }]
  return parseByPieces(body) ?? [{ ...parseWhole(body), start: 0 }]
}

function parseWhole(body: string): TokenizableNodes {
  const key = fragmentKey(body, true)
  const cached = cachedNodes(key)
  if (cached) return cached
  const nodes = parseTokenizable(body)
  cacheNodes(key, nodes, body.length)
  return nodes
}

function parseByPieces(body: string): BodyPart[] | null {
  const pieces = piecesOf(body)?.map((piece) => ({ ...piece, cached: cachedNodes(piece.key) }))
  if (!pieces) return null
  const parts: BodyPart[] = []
  for (const run of runsOf(pieces, ({ cached }) => cached !== undefined)) {
    const { cached } = run[0]!
    const ofRun = cached ? [cached] : cacheRun(run, parseTokenizable(textOfRun(run, body)))
    if (!ofRun) return null
    for (const [index, nodes] of ofRun.entries()) parts.push({ ...nodes, start: run[index]!.start })
  }
  return parts
}
