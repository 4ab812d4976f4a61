import type { ServedFile } from '../files/types.ts'

/** Decoded path segments from the top of the mount; empty for the top itself. */
export type PathSegments = readonly string[]

export interface MountedFolder {
  kind: 'folder'
  name: string
  /** Unix milliseconds; null for a virtual folder. */
  changedMs: number | null
}

export interface MountedFile extends ServedFile {
  kind: 'file'
}

export type Mounted = MountedFolder | MountedFile

/** Called after the permission is checked. Reading throws WorkspaceError `too_large` above the limit. */
export type BeginBytes = (limitBytes: number) => AsyncIterable<Uint8Array>

export type Tagged = Pick<ServedFile, 'tag' | 'isTagWeak'>

export interface PutResult extends Tagged {
  created: boolean
}

export interface Failure {
  names: PathSegments
  error: unknown
}

export interface Outcome {
  created: boolean
  failures: Failure[]
}
