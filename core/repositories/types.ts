/** Times are Unix milliseconds. */
export interface RepositoryView {
  _id: string
  dir: string
  name: string
  source: string
  defaultBranch: string
  /** The displayed commit; hex. */
  commit: string
  linkedBy: string
  linkedAt: number
  /** When the source was last known to be as displayed. */
  refreshedAt: number
  /** Why it could not be fetched since, in words; null if nothing is wrong. */
  problem: string | null
  /** Of the project's pull requests, if this repository named it; without its token. */
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
  /** From the top, with `/`. */
  name: string
  type: EntryType
  /** In bytes; null for a submodule. */
  size: number | null
  /** `/v1/fs/…`, percent-encoded. */
  path: string
}

export interface RepositoryFolder {
  kind: 'folder'
  listing: {
    project: string
    /** Its `dir`. */
    repository: string
    /** The default branch. */
    ref: string
    commit: string
    refreshedAt: number
    problem: string | null
    /** At any depth, in git's order. */
    entries: EntryListItem[]
    /** Whether the listing is incomplete. */
    truncated: boolean
    /** Files that no address can name. */
    skipped: number
  }
}

/** A file, or a symbolic link as text. */
export interface RepositoryFile {
  kind: 'file'
  /** Hex. */
  objectId: string
  /** @throws WorkspaceError `unavailable` */
  read(): Promise<{ bytes: Buffer; isText: boolean }>
}

export interface LinkRequest {
  dir: string
  source: string
  forge?: Record<string, unknown>
}
