import type { Readable } from 'node:stream'

export interface Upload {
  name: string
  type: string | null
  bytes: AsyncIterable<Uint8Array>
}

/** Must be called after the permission is checked. */
export type BeginUpload = () => Promise<Upload>

export interface ServedFile {
  name: string
  type: string
  size: number
  changedMs: number
  tag: string
  /** Whether the file changed so recently that another edit could keep the tag. */
  isTagWeak: boolean
  /** Streams all bytes or an inclusive range. @throws WorkspaceError `unavailable` */
  stream(range?: { start: number; end: number }): Readable
  bytes?(range?: { start: number; end: number }): Uint8Array
}

export interface LibraryListItem {
  /** Includes folders, as in `reports/q3.pdf`. */
  name: string
  type: string
  size: number
  updatedAt: number
  path: string
  downloadUrl: string
}

export type LibraryFileRead =
  | { kind: 'text'; bytes: Buffer; type: 'text/markdown' | 'text/plain'; revision: string }
  | { kind: 'link'; link: Pick<LibraryListItem, 'name' | 'type' | 'size' | 'downloadUrl'>; revision: string }

export interface LibraryFileWrite {
  file: LibraryListItem
  revision: string
}
