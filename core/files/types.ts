import type { Readable } from 'node:stream'

export interface Upload {
  name: string
  /** As claimed by the sender; null if absent. */
  type: string | null
  bytes: AsyncIterable<Uint8Array>
}

/** Called once the caller is known to have the permission. */
export type BeginUpload = () => Promise<Upload>

export interface ServedFile {
  name: string
  type: string
  size: number
  changedMs: number
  tag: string
  /** Whether the file changed so recently that another edit could keep the tag. */
  isTagWeak: boolean
  /**
   * The bytes, or a range, inclusive.
   * @throws WorkspaceError `unavailable` if the file is being changed, or the disk fails
   */
  stream(range?: { start: number; end: number }): Readable
  /** As `stream`, if the bytes are in memory. */
  bytes?(range?: { start: number; end: number }): Uint8Array
}

export interface LibraryListItem {
  /** With folders, as in `reports/q3.pdf`. */
  name: string
  type: string
  size: number
  updatedAt: number
  path: string
  /** Absolute; valid for one hour without a key. */
  downloadUrl: string
}

export type LibraryFileRead =
  | { kind: 'text'; bytes: Buffer; type: 'text/markdown' | 'text/plain'; revision: string }
  | { kind: 'link'; link: Pick<LibraryListItem, 'name' | 'type' | 'size' | 'downloadUrl'>; revision: string }

export interface LibraryFileWrite {
  file: LibraryListItem
  revision: string
}
