export interface SkillListing {
  name: string
  description: string
  version: number
  draftRevision: number
  path: string
}

export interface SkillFile {
  name: string
  type: string
  size: number
  path: string
}

/** Includes what a change must send back. */
export interface SkillRecord {
  project: string
  name: string
  description: string
  version: number
  draftRevision: number
  changedAt: number
  /** Null if nothing is published. */
  path: string | null
}

/** The state that the caller read; 0 for a new skill. */
export interface SkillExpectation {
  expectedVersion: number
  expectedDraftRevision: number
}

export interface SkillAddress {
  project: string
  name: string
}
