/** What the page tells the editor's script. Only types, since server and browser share this file. */
export interface EditorDetails {
  /** `post` means a new one that is published directly. */
  kind: 'document' | 'draft' | 'post' | 'card'
  project: string
  folder: string
  /** Null for a new file, as are `path` and `page`. */
  id: string | null
  path: string | null
  page: string | null
  back: string
  /** Permits the editor's styles. */
  nonce: string
  /** Frontmatter keys that belong to the server. */
  serverKeys: readonly string[]
}
