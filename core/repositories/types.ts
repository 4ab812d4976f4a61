export interface RepositoryView {
  _id: string
  dir: string
  name: string
  source: string
  defaultBranch: string
  commit: string
  linkedBy: string
  linkedAt: number
  refreshedAt: number
  /** Why the last fetch failed; null if it did not. */
  problem: string | null
  /** Set if this repository named the project's forge. Omits the token. */
  forge: { api: string; owner: string; name: string } | null
  path: string
}

export interface RepositoryListItem {
  dir: string
  name: string
  defaultBranch: string
  refreshedAt: number
  problem: string | null
  path: string
}

export type EntryType = 'file' | 'symlink' | 'submodule'

export interface EntryListItem {
  /** Relative to the top of the repository. */
  name: string
  type: EntryType
  size: number | null
  path: string
}

export interface RepositoryFolder {
  kind: 'folder'
  listing: {
    project: string
    repository: string
    ref: string
    commit: string
    refreshedAt: number
    problem: string | null
    /** At any depth, in git's order. */
    entries: EntryListItem[]
    truncated: boolean
    /** Files that are omitted because no URL can name them. */
    skipped: number
  }
}

export interface RepositoryFile {
  kind: 'file'
  objectId: string
  read(): Promise<{ bytes: Buffer; isText: boolean }>
}

export interface LinkRequest {
  dir: string
  source: string
  forge?: Record<string, unknown>
}
