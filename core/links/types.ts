/** As `type=` of a search. */
export type TargetType = 'document' | 'post' | 'card' | 'pull'

export interface LinkTarget {
  type: TargetType
  /** The number of a pull request. */
  id: string
  title: string
  /** `/v1/fs/…` */
  path: string
  url: string
}

/** `docs/interface.md#links-between-files` */
export interface RefListItem extends LinkTarget {
  /** Stays valid whatever is renamed. */
  token: string
}

export interface LinkView {
  /** As written; for a markdown link the destination. */
  token: string
  /** These are null if the target does not exist for the reader. */
  type: TargetType | null
  id: string | null
  title: string | null
  path: string | null
  url: string | null
  /** A heading as written, or `^` and a block's id; null for the whole target. */
  anchor: string | null
  /** Replaces the title. */
  label: string | null
  isEmbed: boolean
  /** The target, or its heading or block, does not exist for the reader. */
  isDead: boolean
}

/** A link and its document (`docs/interface.md#reading-a-file`). */
export interface Backlink {
  id: string
  docType: 'note' | 'post' | 'card'
  title: string
  path: string
  url: string
  /** As in `LinkView`. */
  anchor: string | null
  /** The text around the link. */
  context: string
}

/** The document whose backlinks were requested. */
export interface BacklinkTarget {
  id: string
  title: string
  path: string
}
