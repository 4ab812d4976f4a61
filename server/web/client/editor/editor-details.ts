/**
 * What the page says of the file to the script of the editor. The server writes it and the browser reads it: types alone
 * are here, which need neither. Paths are as in URLs.
 */
export interface EditorDetails {
  /** A post is a new one that is to be published at once. */
  kind: 'document' | 'draft' | 'post' | 'card'
  project: string
  folder: string
  /** Null: it is not there yet; the same of `path` and `page`. */
  id: string | null
  path: string | null
  page: string | null
  back: string
  /** Whether the server lets several people write it together. */
  isLive: boolean
  /** For the styles that the editor adds. */
  nonce: string
  /** The keys of the frontmatter that are the server's. */
  serverKeys: readonly string[]
}
