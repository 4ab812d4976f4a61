import type { Head } from './strip-envelope.ts'
import type { MentionCandidate, PreviousVersion } from './types.ts'

/** A file on its way to its analysis: what stands above the body is known, of the body nothing yet. */
export interface ParseInput {
  body: string
  /**
   * Length of a heading at the beginning of `body` that a read added, and that is dropped again where the title
   * stays what it was without it; else 0.
   */
  addedHeading: number
  /** The author's own keys. */
  fields: Record<string, unknown>
  buildHead(body: string): Head
  /** Bare mentions that begin in this part of `body` (UTF-16) become canonical; null: none. */
  canonicalIn: [from: number, to: number] | null
  /** The bytes on the disk, where they are not ours to write. */
  fixedMentions: Uint8Array | null
  /** `needed`: without one the file is refused. `optional`: one that is too long is refused. `any`: nothing is. */
  title: 'needed' | 'optional' | 'any'
  people: MentionCandidate[]
  names: Record<string, string>
  before: PreviousVersion | null
}
