import { blocksOfKnown, fragmentKey, keepFragment, knownFragment } from './fragment-cache.ts'
import { type Fragment, fragmentsOf, lineBelow } from './fragments.ts'
import { parseBody } from './parse.ts'
import { takeFragments, takeText } from './parse-allowance.ts'
import { parseAndCache } from './parse-cache.ts'
import { type ParsedBlock, parseBlocksBy, shiftBlock } from './parsed-block.ts'
import { maxReferences } from './references.ts'

/** In UTF-16 code units: longer bodies are parsed as a whole, since they would evict all others from the cache. */
const maxLength = 256 * 1024

/** An unpaired surrogate, which has the hash of another character. */
const halfCharacter = /\p{Surrogate}/u

/**
 * The top-level blocks of a body; only fragments that are not cached are parsed.
 * @throws RangeError if it nests too deep
 */
export function parseBlocks(body: string): ParsedBlock[] {
  const fragments = body.length <= maxLength && !halfCharacter.test(body) ? fragmentsOf(body) : null
  return (fragments && parseFragments(body, fragments)) ?? parseWhole(body)
}

function parseWhole(body: string): ParsedBlock[] {
  takeText(body)
  return parseBlocksBy(parseAndCache, body)
}

interface Piece extends Fragment {
  end: number
  key: string
  known: string | undefined
}

/** @returns null if the parse does not confirm the fragments */
function parseFragments(body: string, fragments: Fragment[]): ParsedBlock[] | null {
  takeFragments(fragments.length)
  const runs = runsOf(
    fragments.map((fragment, place): Piece => {
      const end = fragments[place + 1]?.start ?? body.length
      const key = fragmentKey(body.slice(fragment.start, end), end === body.length)
      return { ...fragment, end, key, known: knownFragment(key) }
    }),
  )
  for (const run of runs) if (!run[0]!.known) takeText(textOf(run, body))
  const blocks: ParsedBlock[] = []
  for (const run of runs) {
    const [{ known, start, line }] = run as [Piece]
    const ofRun = known
      ? blocksOfKnown(known).map((block) => shiftBlock(block, start, line))
      : parseRun(body, run)
    if (!ofRun) return null
    for (const block of ofRun) blocks.push(block)
  }
  return blocks
}

/** Cached fragments alone, and runs of others. */
function runsOf(pieces: Piece[]): Piece[][] {
  const runs: Piece[][] = []
  for (const piece of pieces) {
    const run = runs.at(-1)
    if (run && !piece.known && !run[0]!.known) run.push(piece)
    else runs.push([piece])
  }
  return runs
}

const textOf = (run: Piece[], body: string) => body.slice(run[0]!.start, run.at(-1)!.end)

/** Parses adjacent fragments together, and caches each. */
function parseRun(body: string, run: Piece[]): ParsedBlock[] | null {
  const { start, line } = run[0]!
  const text = textOf(run, body)
  if (text.length === body.length) return kept(parseBlocksBy(parseAndCache, body), run)
  const isLast = start + text.length === body.length
  const blocks = isLast
    ? parseBlocksBy(parseBody, text)
    : parseBlocksBy(parseBody, text + lineBelow).slice(0, -1)
  return kept(
    blocks.map((block) => shiftBlock(block, start, line)),
    run,
  )
}

/** Caches blocks by fragment. */
function kept(blocks: ParsedBlock[], run: Piece[]): ParsedBlock[] | null {
  const ofPieces: ParsedBlock[][] = run.map(() => [])
  let place = 0
  let references = 0
  for (const block of blocks) {
    while (block.offsets[0] >= run[place]!.end && place < run.length - 1) place++
    if (block.offsets[1] > run[place]!.end) return null
    references += block.references.length
    ofPieces[place]!.push(block)
  }
  // The limit was reached: the last block may have more.
  if (references >= maxReferences) return blocks
  for (const [index, { key, start, line }] of run.entries()) {
    keepFragment(
      key,
      ofPieces[index]!.map((block) => shiftBlock(block, -start, -line)),
    )
  }
  return blocks
}
