import type { FrontmatterBlock } from './strip-envelope.ts'
import type { MentionCandidate, PreviousVersion } from './types.ts'

export interface ParseInput {
  body: string
  /** Length of a heading that a read may have added; removed if the title is the same without it. */
  addedHeading: number
  fields: Record<string, unknown>
  buildFrontmatter(body: string): FrontmatterBlock
  /** Bare mentions that begin in this range of `body` (UTF-16) become canonical; null: none. */
  canonicalIn: [from: number, to: number] | null
  /** The bytes on the disk, if they must not be changed. */
  fixedMentions: Uint8Array | null
  title: 'needed' | 'optional' | 'any'
  people: MentionCandidate[]
  names: Record<string, string>
  before: PreviousVersion | null
}
