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

/** The page of a path in external markdown, without the base address; null if it has none. */
export type PageOfPath = (path: string) => string | null

export interface MessageText {
  key: string
  body: string
  projectId?: string | null
}
