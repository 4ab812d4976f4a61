export interface SkillPublishEvent {
  type: 'skill.publish'
  projectId: string
  /** Null: somebody with access to the disk. */
  actorId: string | null
  detail: { name: string; version: number; isPublished: boolean }
}
