import type { Caller, Member, MemberType } from '../access/member.ts'
import { isAdmin, requireProjectAdministration, requireScope } from '../access/permissions.ts'
import type { Project, ProjectRole } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import { projectPagePath } from '../paths.ts'
import type { ProjectJoinEvent } from './join-event.ts'
import type { ProjectChanges, ProjectStore } from './project-store.ts'

interface ProjectsDeps {
  projects: ProjectStore
  members: MemberStore
  postCount: (projectId: string) => number
  events: { append(event: ProjectJoinEvent): unknown }
  pageUrl: (path: string) => string
  create: (caller: Caller, request: { name: string; slug?: string }) => Promise<Project>
  /** Resumes what waited while the project was archived. */
  onReopened: () => Promise<void>
}

export interface ProjectView {
  _id: string
  slug: string
  name: string
  /** Null for an owner or admin who is not in it. */
  role: ProjectRole | null
  postCount: number
  archivedAt: number | null
  url: string
}

export interface ProjectMemberView {
  memberId: string
  name: string
  type: MemberType
  role: ProjectRole
}

/** Projects and their members with permission checks. Owners and admins administer all projects. */
export class Projects {
  constructor(private readonly deps: ProjectsDeps) {}

  /** Oldest first. With `all`, includes projects that the caller may administer. */
  list(caller: Caller, { all }: { all: boolean }): ProjectView[] {
    requireScope(caller, 'projects:read')
    const { projects } = this.deps
    const listed = all ? projects.listableBy(caller.member) : projects.readableBy(caller.member)
    return listed.map((project) => this.viewOf(caller, project))
  }

  get(caller: Caller, idOrSlug: string): ProjectView {
    requireScope(caller, 'projects:read')
    return this.viewOf(caller, this.deps.projects.require(caller.member, idOrSlug))
  }

  overview(caller: Caller, idOrSlug: string): ProjectView {
    return this.viewOf(caller, this.require(caller, idOrSlug))
  }

  async create(caller: Caller, request: { name: string; slug?: string }): Promise<ProjectView> {
    requireScope(caller, 'projects:read')
    return this.viewOf(caller, await this.deps.create(caller, request))
  }

  /** @throws WorkspaceError `bad_request` without a change; `invalid`; `conflict` for a taken slug */
  async change(caller: Caller, idOrSlug: string, changes: ProjectChanges): Promise<ProjectView> {
    const { onReopened, projects } = this.deps
    const project = this.require(caller, idOrSlug)
    requireProjectAdministration(caller, this.roleOf(caller, project), 'rename or archive it')
    if (Object.keys(changes).length === 0) {
      throw new WorkspaceError(
        'bad_request',
        'The body names nothing to change. The fields are name, slug, archived.',
      )
    }
    const changed = await projects.change(project, changes)
    if (project.archivedMs !== null && changed.archivedMs === null) await onReopened()
    return this.viewOf(caller, changed)
  }

  members(caller: Caller, idOrSlug: string): ProjectMemberView[] {
    const { members, projects } = this.deps
    return projects.members(this.require(caller, idOrSlug)).flatMap(({ memberId, role }) => {
      const member = members.find(memberId)
      return member?.status === 'active' ? [memberView(member, role)] : []
    })
  }

  /** An event notifies a project's members if someone from outside adds a member. */
  async addMember(
    caller: Caller,
    idOrSlug: string,
    request: { memberId: string; role?: ProjectRole },
  ): Promise<ProjectMemberView> {
    const { members, projects } = this.deps
    const project = this.require(caller, idOrSlug)
    requireProjectAdministration(caller, this.roleOf(caller, project), 'manage its members')
    const member = members.resolve(request.memberId)
    if (!member) {
      throw new WorkspaceError('bad_request', `There is no member ${request.memberId}.`, {
        next: { step: 'list members' },
      })
    }
    const role = request.role ?? projects.roleOf(project, member) ?? 'member'
    const isFromOutside = projects.roleOf(project, caller.member) === null
    await projects.join(project, member, role, {
      ...this.leadOptions(caller),
      ...(isFromOutside && { onChanged: () => this.publishJoin(caller, project, member, role) }),
    })
    return memberView(member, role)
  }

  /** Members may also leave on their own. @throws WorkspaceError `conflict` for the last lead */
  async removeMember(caller: Caller, idOrSlug: string, idOrName: string): Promise<void> {
    const { members, projects } = this.deps
    const project = this.require(caller, idOrSlug)
    const member = members.resolve(idOrName)
    const isOwnLeave = member?.id === caller.member.id
    if (!isOwnLeave) {
      requireProjectAdministration(caller, this.roleOf(caller, project), 'remove others from it')
    }
    if (member && (await projects.leave(project, member, this.leadOptions(caller)))) return
    throw new WorkspaceError('not_found', `There is no member ${idOrName} in the project ${project.slug}.`, {
      next: { step: 'list project members', projectId: project.id },
    })
  }

  /** Owners and admins may leave a project without a lead. */
  private leadOptions({ member }: Caller) {
    return { needsLead: !isAdmin(member) }
  }

  private require(caller: Caller, idOrSlug: string): Project {
    requireScope(caller, 'projects:read')
    return this.deps.projects.requireListed(caller.member, idOrSlug)
  }

  private publishJoin({ member: actor }: Caller, project: Project, member: Member, role: ProjectRole): void {
    this.deps.events.append({
      type: 'project.join',
      projectId: project.id,
      actorId: actor.id,
      detail: { memberId: member.id, role },
    })
  }

  private roleOf({ member }: Caller, project: Project): ProjectRole | null {
    return this.deps.projects.roleOf(project, member)
  }

  private viewOf(caller: Caller, project: Project): ProjectView {
    const { pageUrl, postCount } = this.deps
    const { id, slug, name, archivedMs } = project
    return {
      _id: id,
      slug,
      name,
      role: this.roleOf(caller, project),
      postCount: postCount(id),
      archivedAt: archivedMs,
      url: pageUrl(projectPagePath({ slug })),
    }
  }
}

const memberView = ({ id, name, type }: Member, role: ProjectRole): ProjectMemberView => ({
  memberId: id,
  name,
  type,
  role,
})
