import { analyse } from './analyse.ts'
import { withoutFragments } from './fragment-cache.ts'
import type { AnalyseRequest, Analysis, ContentError } from './types.ts'

/** Files from the disk in one array: each ends where the next begins. */
export interface JoinedFiles {
  bytes: Uint8Array
  ends: number[]
}

export interface JoinedAnalyses {
  analyses: (Omit<Analysis, 'stored' | 'compressed' | 'packedText'> | ContentError)[]
  compressed: JoinedFiles
  packedTexts: JoinedFiles
}

const nothing = new Uint8Array()

/** New files without mentions are analysed without knowing the members. */
export function canBeJoined({ origin, people, before }: AnalyseRequest): boolean {
  return origin === 'found' && people.length === 0 && before === null
}

/** As `analyse` of each, without caching fragments, since most new files are not read soon. */
export function analyseAll(files: JoinedFiles): JoinedAnalyses {
  const analyses: JoinedAnalyses['analyses'] = []
  const compressed: Uint8Array[] = []
  const packedTexts: Uint8Array[] = []
  for (const bytes of splitFiles(files)) {
    const result = withoutFragments(() =>
      analyse({ bytes, origin: 'found', people: [], names: {}, before: null }),
    )
    const isRefused = result.kind === 'refusal'
    compressed.push(isRefused ? nothing : result.compressed)
    packedTexts.push(isRefused ? nothing : result.packedText)
    analyses.push(isRefused ? result : withoutBytes(result))
  }
  return { analyses, compressed: joinFiles(compressed), packedTexts: joinFiles(packedTexts) }
}

const withoutBytes = ({ stored, compressed, packedText, ...rest }: Analysis) => rest

export function joinFiles(parts: readonly Uint8Array[]): JoinedFiles {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  const ends: number[] = []
  let end = 0
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
    ends.push(end)
  }
  return { bytes, ends }
}

export const splitFiles = ({ bytes, ends }: JoinedFiles): Uint8Array[] =>
  ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
