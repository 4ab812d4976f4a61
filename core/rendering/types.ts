import type { OutlineEntry } from '../markdown/index.ts'

/** A document as a page shows it to one reader. */
export interface RenderedDocument {
  id: string
  title: string
  revision: string
  /** Of the whole body, its title among it. Safe to stand in a page as it is. */
  html: string
  /** The headings at the top level, in order; none where the file is kept as plain text. */
  outline: OutlineEntry[]
  /** The author's own frontmatter; of a card the status that holds. */
  fields: Record<string, unknown>
  /** The file cannot be parsed within its time, and is shown as it stands. */
  isPlain: boolean
}

/** The page of what a path of a file from elsewhere leads to, without the base address; null where that leads nowhere. */
export type PageOfPath = (path: string) => string | null

/** A message, a comment, an ask: what somebody has said, in stored form. */
export interface MessageText {
  /** By which the answer names it. */
  key: string
  /** Mentions in canonical form. */
  body: string
  /** Of whose documents it speaks; left out or null: of none in particular. */
  projectId?: string | null
}
