import type { OutlineEntry } from '../markdown/index.ts'

/** A document as displayed to one reader. */
export interface RenderedDocument {
  id: string
  title: string
  revision: string
  /** Safe HTML of the whole body, with its title. */
  html: string
  /** Top-level headings in order; none for plain text. */
  outline: OutlineEntry[]
  /** The author's own frontmatter; for a card with the effective status. */
  fields: Record<string, unknown>
  /** The file exceeds the budget and is displayed as plain text. */
  isPlain: boolean
}

/** The page of a path in external markdown, without the base address; null if it has none. */
export type PageOfPath = (path: string) => string | null

/** A message, comment or ask in stored form. */
export interface MessageText {
  /** Identifies it in the result. */
  key: string
  /** Mentions in canonical form. */
  body: string
  /** The project for references, if any. */
  projectId?: string | null
}
