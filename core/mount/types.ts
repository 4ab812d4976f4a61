import type { ServedFile } from '../files/types.ts'

/** The names on the way from the top of the mount, as a program sends them: decoded, none for the top itself. */
export type PathSegments = readonly string[]

export interface MountedFolder {
  kind: 'folder'
  name: string
  /** Unix milliseconds; null: a folder that stands on no disk. */
  changedMs: number | null
}

/** A file with its bytes exactly as they lie on the disk. */
export interface MountedFile extends ServedFile {
  kind: 'file'
}

export type Mounted = MountedFolder | MountedFile

/**
 * Begins to receive bytes; called once it is known that the caller may send them.
 * @throws WorkspaceError `too_large` above the limit, while it is read
 */
export type BeginBytes = (limitBytes: number) => AsyncIterable<Uint8Array>

/** What names the bytes of a file. */
export type Tagged = Pick<ServedFile, 'tag' | 'isTagWeak'>

/** What was written, as it is named from now on. */
export interface PutResult extends Tagged {
  created: boolean
}

/** What of a folder could not be changed with the rest, and why. */
export interface Failure {
  names: PathSegments
  error: unknown
}

/** What came of a change that may be one of many files. */
export interface Outcome {
  /** Whether nothing lay there before. */
  created: boolean
  /** Empty: all of it was done. */
  failures: Failure[]
}
