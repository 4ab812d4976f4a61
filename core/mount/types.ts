import type { ServedFile } from '../files/types.ts'

/** Decoded path segments from the top of the mount; empty for the top itself. */
export type PathSegments = readonly string[]

export interface MountedFolder {
  kind: 'folder'
  name: string
  /** Unix milliseconds; null for a virtual folder. */
  changedMs: number | null
}

/** With the exact bytes on the disk. */
export interface MountedFile extends ServedFile {
  kind: 'file'
}

export type Mounted = MountedFolder | MountedFile

/**
 * Called once the caller is known to have the permission.
 * @throws WorkspaceError `too_large` above the limit, while reading
 */
export type BeginBytes = (limitBytes: number) => AsyncIterable<Uint8Array>

/** Identifies the bytes of a file. */
export type Tagged = Pick<ServedFile, 'tag' | 'isTagWeak'>

export interface PutResult extends Tagged {
  created: boolean
}

/** What of a folder could not be changed, with the reason. */
export interface Failure {
  names: PathSegments
  error: unknown
}

/** The result of a change of one or many files. */
export interface Outcome {
  /** Whether nothing was there before. */
  created: boolean
  /** Empty if all succeeded. */
  failures: Failure[]
}
