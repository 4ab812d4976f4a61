/** A published skill as a row of its folder (`docs/interface.md#skills`). */
export interface SkillListing {
  name: string
  description: string
  version: number
  draftRevision: number
  path: string
}

/** A file of a published skill. */
export interface SkillFile {
  /** Within the skill, with its sub-folders. */
  name: string
  type: string
  /** Bytes. */
  size: number
  path: string
}

/** A skill with what must be sent back to change it. */
export interface SkillRecord {
  project: string
  name: string
  description: string
  version: number
  draftRevision: number
  /** Unix milliseconds. */
  changedAt: number
  /** Where it is read; null: nothing of it is published. */
  path: string | null
}

/** What a caller has read, and builds on; 0 means new. */
export interface SkillExpectation {
  expectedVersion: number
  expectedDraftRevision: number
}

/** Whom a request means. */
export interface SkillAddress {
  /** Slug or id. */
  project: string
  name: string
}
