import { analyse } from './analyse.ts'
import { type Allowance, AllowanceExceededError, withAllowance } from './parse-allowance.ts'
import type { AnalyseRequest, Analysis, ContentError } from './types.ts'

const maxBytes = 16 * 1024

const maxMentions = 64
const maxPeople = 200

/** The worst markdown of this size takes some milliseconds; a paragraph of prose takes a tenth. */
const allowance: Allowance = { characters: 2048, marks: 128, fragments: 256, frontmatter: 1024 }

/** Faster than a worker's round trip if nearly everything is known. Returns null if it is for a worker. */
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

function withOwnBytes(analysis: Analysis): Analysis {
  const { stored, compressed, packedText } = analysis
  return {
    ...analysis,
    stored: new Uint8Array(stored),
    compressed: new Uint8Array(compressed),
    packedText: new Uint8Array(packedText),
  }
}

function isShort({ bytes, people, before }: AnalyseRequest): boolean {
  if (bytes.length > maxBytes || people.length > maxPeople) return false
  if (before && (before.stored.length > maxBytes || before.digest.mentions.length > maxMentions)) return false
  return mentionsAtMost(bytes, maxMentions)
}

function mentionsAtMost(bytes: Uint8Array, max: number): boolean {
  let count = 0
  for (let at = bytes.indexOf(64); at !== -1; at = bytes.indexOf(64, at + 1)) if (++count > max) return false
  return true
}
