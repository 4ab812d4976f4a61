import { analyse } from './analyse.ts'
import { type Allowance, AllowanceExceededError, withAllowance } from './parse-allowance.ts'
import type { AnalyseRequest, Analysis, ContentError } from './types.ts'

/** Longer files are for a thread, in bytes. */
const maxBytes = 16 * 1024

/** `@` in a file, and people whom they may mean. */
const maxMentions = 64
const maxPeople = 200

/** The worst markdown within it takes 3 ms; a paragraph of prose takes a tenth of it. */
const allowance: Allowance = { characters: 2048, marks: 128, fragments: 256, frontmatter: 1024 }

/**
 * Analyses a file on this thread where next to all of it is known: it then takes less than handing it to another thread,
 * and never more than a few milliseconds.
 * @returns null where it is for a thread of its own
 */
export function analyseAtOnce(request: AnalyseRequest): Analysis | ContentError | null {
  if (!isShort(request)) return null
  try {
    const result = withAllowance(allowance, () => analyse(request))
    return result.kind === 'analysis' ? withOwnBytes(result) : result
  } catch (error) {
    if (error instanceof AllowanceExceededError) return null
    throw error
  }
}

/** Bytes that share no memory with what was handed in, as they come from a thread. */
function withOwnBytes(analysis: Analysis): Analysis {
  const { stored, compressed } = analysis
  return { ...analysis, stored: new Uint8Array(stored), compressed: new Uint8Array(compressed) }
}

function isShort({ bytes, people, before }: AnalyseRequest): boolean {
  if (bytes.length > maxBytes || people.length > maxPeople) return false
  if (before && (before.stored.length > maxBytes || before.digest.mentions.length > maxMentions)) return false
  return mentionsAtMost(bytes, maxMentions)
}

function mentionsAtMost(bytes: Uint8Array, most: number): boolean {
  let count = 0
  for (let at = bytes.indexOf(64); at !== -1; at = bytes.indexOf(64, at + 1)) if (++count > most) return false
  return true
}
