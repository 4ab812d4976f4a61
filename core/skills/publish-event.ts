export interface SkillPublishEvent {
  type: 'skill.publish'
  projectId: string
  /** null: somebody with access to the disk. */
  actorId: string | null
  detail: { name: string; version: number; isPublished: boolean }
}
