type TargetType = 'document' | 'post' | 'card' | 'pull'

export interface LinkTarget {
  type: TargetType
  id: string
  title: string
  path: string
  url: string
}

export interface RefListItem extends LinkTarget {
  /** Stays valid whatever is renamed. */
  token: string
}

export interface RefInProject extends RefListItem {
  projectName: string
}

export interface LinkView {
  /** As written; for a markdown link the destination. */
  token: string
  /** This and the next four are null if the target does not exist for the reader. */
  type: TargetType | null
  id: string | null
  title: string | null
  path: string | null
  url: string | null
  /** A heading as written, or `^` and a block's id; null for the whole target. */
  anchor: string | null
  label: string | null
  isEmbed: boolean
  /** The target, or its heading or block, does not exist for the reader. */
  isDead: boolean
}

export interface Backlink {
  id: string
  docType: 'note' | 'post' | 'card'
  title: string
  path: string
  url: string
  anchor: string | null
  context: string
}

export interface BacklinkTarget {
  id: string
  title: string
  path: string
}
