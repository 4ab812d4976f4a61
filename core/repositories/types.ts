/** A linked repository as the JSON endpoints show it. Times are Unix milliseconds. */
export interface RepositoryView {
  _id: string
  dir: string
  name: string
  source: string
  defaultBranch: string
  /** The commit that is shown; hex. */
  commit: string
  linkedBy: string
  linkedAt: number
  /** When the source was last seen to be as it is shown. */
  refreshedAt: number
  /** Why it could not be looked at since, in words; null: nothing is wrong. */
  problem: string | null
  /** Where the project's pull requests come from, where this repository named it; never its token. */
  forge: { api: string; owner: string; name: string } | null
  path: string
}

/** A row of `library/repositories`. */
export interface RepositoryListItem {
  dir: string
  name: string
  defaultBranch: string
  refreshedAt: number
  problem: string | null
  path: string
}

export type EntryType = 'file' | 'symlink' | 'submodule'

/** A file of a repository as its listing shows it. */
export interface EntryListItem {
  /** From the top of the repository, with `/` between folders. */
  name: string
  type: EntryType
  /** In bytes; null for a submodule, which has none here. */
  size: number | null
  /** `/v1/fs/…`, every segment percent-encoded. */
  path: string
}

/** A repository, or a folder of one. */
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
    /** Whether there are more than a listing holds. */
    truncated: boolean
    /** How many files are left out because no address could name them. */
    skipped: number
  }
}

/** One file of a repository, or a symbolic link as the text that it is. */
export interface RepositoryFile {
  kind: 'file'
  /** The id of its bytes; hex. */
  objectId: string
  /** @throws WorkspaceError `unavailable` */
  read(): Promise<{ bytes: Buffer; isText: boolean }>
}

/** What somebody asks to have linked. */
export interface LinkRequest {
  dir: string
  source: string
  forge?: Record<string, unknown>
}
