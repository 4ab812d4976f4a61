import type { Readable } from 'node:stream'

/** A file being uploaded. */
export interface Upload {
  /** As sent. */
  name: string
  /** As claimed by the sender; null if absent. */
  type: string | null
  /** @throws WorkspaceError if they are too many, or end early */
  bytes: AsyncIterable<Uint8Array>
}

/** Called once the caller is known to have the permission. */
export type BeginUpload = () => Promise<Upload>

export interface ServedFile {
  name: string
  /** Media type without parameters. */
  type: string
  /** Bytes. */
  size: number
  /** Unix milliseconds. */
  changedMs: number
  /** Identifies the bytes. */
  tag: string
  /** Whether the file changed so recently that another edit could keep the tag. */
  isTagWeak: boolean
  /**
   * The bytes, or a range, inclusive.
   * @throws WorkspaceError `unavailable` if the file is being changed, or the disk fails
   */
  stream(range?: { start: number; end: number }): Readable
}

/** `docs/interface.md#files-of-a-project` */
export interface LibraryListItem {
  /** With folders, as in `reports/q3.pdf`. */
  name: string
  type: string
  size: number
  /** Unix milliseconds. */
  updatedAt: number
  /** After the base address. */
  path: string
  /** Absolute; valid for one hour without a key. */
  downloadUrl: string
}

/** A text, or a link. */
export type LibraryFileRead =
  | { kind: 'text'; bytes: Buffer; type: 'text/markdown' | 'text/plain'; revision: string }
  | { kind: 'link'; link: Pick<LibraryListItem, 'name' | 'type' | 'size' | 'downloadUrl'> }
