import { decode, encode } from '@jridgewell/sourcemap-codec'

/**
 * Reduces a source map to what a stack trace shows of our own code: the line. That is a twentieth of its bytes.
 * @param {{ version: 3; sources: string[]; names: string[]; mappings: string }} map
 */
export function lineMap({ sources, names, mappings, ...rest }) {
  const own = sources.filter((source) => !source.includes('node_modules/'))
  const ownIndexes = sources.map((source) => own.indexOf(source))
  const lines = decode(mappings).map((segments) => {
    const kept = []
    let previous = null
    for (const [column, source = -1, line, originalColumn] of segments) {
      const ownIndex = ownIndexes[source] ?? -1
      // A segment without a source ends the one before, also that of the line above.
      const position = ownIndex < 0 ? '' : `${ownIndex}:${line}`
      if (position === previous) continue
      kept.push(ownIndex < 0 ? [column] : [column, ownIndex, line, originalColumn])
      previous = position
    }
    return kept
  })
  return { ...rest, sources: own, names: [], mappings: encode(lines) }
}
