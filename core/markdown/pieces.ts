import { fragmentKey } from './fragment-cache.ts'
import { type Fragment, fragmentsOf, lineBelow } from './fragments.ts'

export interface Piece extends Fragment {
  end: number
  key: string
}

/** Longer bodies are parsed as a whole, since they would evict all others from the caches. */
const maxLength = 256 * 1024

/** An unpaired surrogate, which has the hash of another character. */
const halfCharacter = /\p{Surrogate}/u

export function isCacheable(body: string): boolean {
  return body.length <= maxLength && !halfCharacter.test(body)
}

export function piecesOf(body: string): Piece[] | null {
  const fragments = fragmentsOf(body)
  return (
    fragments?.map((fragment, index) => {
      const end = fragments[index + 1]?.start ?? body.length
      return { ...fragment, end, key: fragmentKey(body.slice(fragment.start, end), end === body.length) }
    }) ?? null
  )
}

export function runsOf<OnePiece extends Piece>(
  pieces: OnePiece[],
  isKnown: (piece: OnePiece) => boolean,
): OnePiece[][] {
  const runs: OnePiece[][] = []
  let isAfterKnown = true
  for (const piece of pieces) {
    const known = isKnown(piece)
    if (known || isAfterKnown) runs.push([piece])
    else runs.at(-1)!.push(piece)
    isAfterKnown = known
  }
  return runs
}

/** Adds a line unless the run ends the body, so that it is not parsed as an end. */
export function textOfRun(run: Piece[], body: string): string {
  const [start, end] = [run[0]!.start, run.at(-1)!.end]
  if (end - start === body.length) return body
  // A copy: nodes hold parts of their text, and would keep the whole body in memory.
  const text = Buffer.from(body.slice(start, end)).toString()
  return end === body.length ? text : text + lineBelow
}

/** Returns null if an item spans several pieces. @param offsetsOf in the text of the run */
export function byPiece<Item>(
  items: Item[],
  run: Piece[],
  offsetsOf: (item: Item) => readonly [start: number, end: number],
): Item[][] | null {
  const { start: base } = run[0]!
  const ends = run.map(({ end }) => end - base)
  const ofPieces: Item[][] = run.map(() => [])
  let index = 0
  for (const item of items) {
    const [start, end] = offsetsOf(item)
    while (start >= ends[index]! && index < run.length - 1) index++
    if (start >= ends[index]!) break
    if (end > ends[index]!) return null
    ofPieces[index]!.push(item)
  }
  return ofPieces
}
