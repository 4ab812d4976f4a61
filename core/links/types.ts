/** What a link leads to, in the words of `type=` in a search. */
export type TargetType = 'document' | 'post' | 'card' | 'pull'

/** What links to a document are shown of it. */
export interface LinkTarget {
  type: TargetType
  /** Of a pull request its number. */
  id: string
  title: string
  /** `/v1/fs/…` */
  path: string
  /** The page where a person reads the same. */
  url: string
}

/** What can be linked to, and how (`docs/interface.md#links-between-files`). */
export interface RefListItem extends LinkTarget {
  /** The token that stays right whatever is renamed. */
  token: string
}

/** A link as it stands in a file, and what it leads to now. */
export interface LinkView {
  /** As it is written; of a markdown link the destination. */
  token: string
  /** These are null where nothing is there that the reader may read. */
  type: TargetType | null
  id: string | null
  title: string | null
  path: string | null
  url: string | null
  /** Of a heading as it is written, or `^` and the id of a block; null: the link leads to the whole. */
  anchor: string | null
  /** What is to be shown in place of the title. */
  label: string | null
  isEmbed: boolean
  /** The target is not there for the reader, or the heading or block in it is not. */
  isDead: boolean
}

/** A link that leads to a document, and the document that it stands in (`docs/interface.md#reading-a-file`). */
export interface Backlink {
  id: string
  docType: 'note' | 'post' | 'card'
  title: string
  path: string
  url: string
  /** The place in the target that is meant, as in `LinkView`. */
  anchor: string | null
  /** The text around the link. */
  context: string
}

/** The document that was asked about. */
export interface BacklinkTarget {
  id: string
  title: string
  path: string
}
