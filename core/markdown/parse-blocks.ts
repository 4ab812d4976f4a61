import {
  cachedFragment,
  cacheFragment,
  fragmentKey,
  isCachingFragments,
  parseCachedBlocks,
} from './fragment-cache.ts'
import { parseBody } from './parse.ts'
import { takeFragments, takeText } from './parse-allowance.ts'
import { cacheNodes, cacheRun, isLong, parseTokenizable, type TokenizableNodes } from './parse-cache.ts'
import { type ParsedBlock, parseBlocksBy, shiftBlock } from './parsed-block.ts'
import { byPiece, isCacheable, type Piece, piecesOf, runsOf, textOfRun } from './pieces.ts'
import { maxReferences } from './references.ts'

/** Parses only fragments that are not cached. @throws RangeError if it nests too deep */
export function parseBlocks(body: string): ParsedBlock[] {
  const usesCache = isCachingFragments() && isCacheable(body)
  const pieces = usesCache ? piecesOf(body) : null
  return (pieces && parsePieces(body, pieces)) ?? parseWhole(body, usesCache)
}

function parseWhole(body: string, usesCache: boolean): ParsedBlock[] {
  takeText(body)
  if (!usesCache || !isLong(body)) return parseBlocksBy(parseBody, body)
  return parseBlocksBy((text, inspect) => {
    const nodes = parseTokenizable(text, inspect)
    cacheNodes(fragmentKey(body, true), nodes, body.length)
    return nodes
  }, body)
}

function parsePieces(body: string, pieces: Piece[]): ParsedBlock[] | null {
  takeFragments(pieces.length)
  const lookedUp = pieces.map((piece) => ({ ...piece, cached: cachedFragment(piece.key) }))
  const runs = runsOf(lookedUp, ({ cached }) => cached !== undefined)
  for (const run of runs) if (run[0]!.cached === undefined) takeText(textOfRun(run, body))
  const blocks: ParsedBlock[] = []
  for (const run of runs) {
    const [{ cached, start, line }] = run as [(typeof lookedUp)[number]]
    const ofRun = cached === undefined ? parseRun(body, run) : parseCachedBlocks(cached)
    if (!ofRun) return null
    for (const block of ofRun) blocks.push(shiftBlock(block, start, line))
  }
  return blocks
}

/** Parses adjacent fragments together, and caches each. @returns with positions in the run */
function parseRun(body: string, run: Piece[]): ParsedBlock[] | null {
  let nodes: TokenizableNodes | null = null
  const parse: typeof parseBody = (text, inspect) => {
    nodes = parseTokenizable(text, inspect)
    return nodes
  }
  const blocks = parseBlocksBy(isLong(body) ? parse : parseBody, textOfRun(run, body))
  const ofPieces = byPiece(blocks, run, ({ offsets }) => offsets)
  if (!ofPieces) return null
  if (nodes) cacheRun(run, nodes)
  const found = ofPieces.flat()
  const references = found.reduce((count, block) => count + block.references.length, 0)
  // If the limit was reached, the last block may have more.
  if (references < maxReferences) cacheBlocks(run, ofPieces)
  return found
}

function cacheBlocks(run: Piece[], ofPieces: ParsedBlock[][]): void {
  const [first] = run as [Piece]
  for (const [index, { key, start, line }] of run.entries()) {
    cacheFragment(
      key,
      ofPieces[index]!.map((block) => shiftBlock(block, first.start - start, first.line - line)),
    )
  }
}
