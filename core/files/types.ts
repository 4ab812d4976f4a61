import type { Readable } from 'node:stream'

/** A file on its way in. */
export interface Upload {
  /** As the sender calls it. */
  name: string
  /** The media type that the sender claims; null: none. */
  type: string | null
  /** @throws WorkspaceError where they are too many, or end early */
  bytes: AsyncIterable<Uint8Array>
}

/** Begins to receive; called once it is known that the caller may send the file. */
export type BeginUpload = () => Promise<Upload>

/** A file of the disk as it is sent to somebody. */
export interface ServedFile {
  name: string
  /** Media type, without parameters. */
  type: string
  /** Bytes. */
  size: number
  /** Unix milliseconds. */
  changedMs: number
  /** Names these bytes: another edit of the file has another. */
  tag: string
  /** Whether the file was changed so recently that another edit could hide behind the same tag. */
  isTagWeak: boolean
  /**
   * Its bytes, or a part of them: the first and the last, both included.
   * @throws WorkspaceError `unavailable` where it is changed at this very moment, or the disk fails
   */
  stream(range?: { start: number; end: number }): Readable
}

/** A file of the library as it is listed (`docs/interface.md#files-of-a-project`). */
export interface LibraryListItem {
  /** With the folders that it is in, as in `reports/q3.pdf`. */
  name: string
  type: string
  size: number
  /** Unix milliseconds. */
  updatedAt: number
  /** Where it is read, after the base address. */
  path: string
  /** Absolute; good for one hour, without a key. */
  downloadUrl: string
}

/** A file of the library as it is read: its text, or where it can be downloaded. */
export type LibraryFileRead =
  | { kind: 'text'; bytes: Buffer; type: 'text/markdown' | 'text/plain'; revision: string }
  | { kind: 'link'; link: Pick<LibraryListItem, 'name' | 'type' | 'size' | 'downloadUrl'> }
