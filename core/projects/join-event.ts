/** An owner or admin who is not in a project has added somebody to it, or has given somebody in it another role. */
export interface ProjectJoinEvent {
  type: 'project.join'
  projectId: string
  /** Who did it. */
  actorId: string
  detail: { memberId: string; role: 'lead' | 'member' }
}
