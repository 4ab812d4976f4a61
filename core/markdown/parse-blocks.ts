import { blocksOfKnown, fragmentKey, keepFragment, knownFragment } from './fragment-cache.ts'
import { type Fragment, fragmentsOf, lineBelow } from './fragments.ts'
import { parseBody } from './parse.ts'
import { takeFragments, takeText } from './parse-allowance.ts'
import { parseAndCache } from './parse-cache.ts'
import { type ParsedBlock, parseBlocksBy, shiftBlock } from './parsed-block.ts'
import { maxReferences } from './references.ts'

/** Longer bodies are parsed as a whole, in UTF-16 code units: they would drive out what is known of all others. */
const maxLength = 256 * 1024

/** Half a surrogate pair: it has the hash of another character. */
const halfCharacter = /\p{Surrogate}/u

/**
 * The top-level blocks of a body. Of one that was changed, only those are parsed that are not known yet.
 * @throws RangeError when it nests too deep
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

/** @returns null where the parse does not confirm the fragments */
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

/** Each that is known alone, and those between them together. */
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

/** Parses adjacent fragments at once, and keeps what each of them holds. */
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

/** Keeps blocks by the fragments in which they are. */
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
  // So many are found at once, and there may be more in the last of the blocks.
  if (references >= maxReferences) return blocks
  for (const [index, { key, start, line }] of run.entries()) {
    keepFragment(
      key,
      ofPieces[index]!.map((block) => shiftBlock(block, -start, -line)),
    )
  }
  return blocks
}
