import type { OutlineEntry } from '../markdown/index.ts'

export interface RenderedDocument {
  id: string
  title: string
  revision: string
  /** Safe HTML of the whole body, with its title. */
  html: string
  outline: OutlineEntry[]
  /** The author's own frontmatter; for a card with the effective status. */
  fields: Record<string, unknown>
  /** The file exceeds the budget and is displayed as plain text. */
  isPlain: boolean
}

export interface RenderedPart extends RenderedDocument {
  /** From 1. */
  part: number
  partCount: number
  /** Of the whole document; `part` holds the heading. */
  outline: (OutlineEntry & { part: number })[]
  /** The text was divided before it was parsed: blocks of other parts may have the same ids. */
  isDivided: boolean
}

/** The page of a path in external markdown, without the base address; null if it has none. */
export type PageOfPath = (path: string) => string | null

export interface MessageText {
  key: string
  body: string
  projectId?: string | null
}
