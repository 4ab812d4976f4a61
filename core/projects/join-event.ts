/** An owner or admin from outside added a member to a project, or changed a role. */
export interface ProjectJoinEvent {
  type: 'project.join'
  projectId: string
  actorId: string
  detail: { memberId: string; role: 'lead' | 'member' }
}
