export interface ProjectJoinEvent {
  type: 'project.join'
  projectId: string
  actorId: string
  detail: { memberId: string; role: 'lead' | 'member' }
}
