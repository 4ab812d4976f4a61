export interface RepositoryView {
  _id: string
  dir: string
  name: string
  source: string
  defaultBranch: string
  commit: string
  linkedBy: string
  linkedAt: number
  /** When it was last fetched successfully. */
  refreshedAt: number
  /** Why the last fetch failed, in words; null if it did not. */
  problem: string | null
  /** The project's forge, if this repository named it; never its token. */
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
  /** From the top of the repository, folders separated by `/`. */
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
    /** How many files are omitted because no URL can name them. */
    skipped: number
  }
}

export interface RepositoryFile {
  kind: 'file'
  /** The id of the git object; hex. */
  objectId: string
  /** @throws WorkspaceError `unavailable` */
  read(): Promise<{ bytes: Buffer; isText: boolean }>
}

export interface LinkRequest {
  dir: string
  source: string
  forge?: Record<string, unknown>
}
