import { WorkspaceError } from './errors.ts'
import type { Caller, Member, Scope } from './members/types.ts'
import type { Project, ProjectRole } from './projects/types.ts'

/**
 * Who may do what: every permission of the workspace stands in this file (`interface.md`, Authentication).
 * Each function returns when it is allowed, and throws `forbidden` in the caller's words when it is not.
 */

/** Owners and admins care for the workspace. */
export const isAdmin = (member: Member): boolean => member.role === 'owner' || member.role === 'admin'

export const hasScope = (caller: Caller, scope: Scope): boolean =>
  caller.scopes.has('*') || caller.scopes.has(scope)

/** @throws WorkspaceError `forbidden`, naming the scope that the key lacks */
export function requireScope(caller: Caller, scope: Scope): void {
  if (hasScope(caller, scope)) return
  throw new WorkspaceError(
    'forbidden',
    `This key lacks the scope ${scope}. Ask an owner or admin for a key that carries it.`,
  )
}

/** Whether the member may see a project and what is in it; `role` is theirs there, null when they are not in it. */
export const mayEnterProject = (member: Member, role: ProjectRole | null): boolean =>
  role !== null || isAdmin(member)

/** @throws WorkspaceError `forbidden` for those who are not in the project */
export function requireProject(member: Member, project: Project, role: ProjectRole | null): void {
  if (mayEnterProject(member, role)) return
  throw new WorkspaceError(
    'forbidden',
    `You are not a member of the project ${project.slug}. Ask its lead, an owner or an admin to add you.`,
  )
}

/** Administration of members, keys, projects and invites. @throws WorkspaceError `forbidden` */
export function requireAdmin(member: Member): void {
  if (isAdmin(member)) return
  throw new WorkspaceError('forbidden', 'Only a workspace owner or admin may do this.')
}

/** Drafts are visible to their author alone, whatever anyone's role. */
export const maySeeDraft = (member: Member, authorId: string): boolean => member.id === authorId

/** Deleting takes the author, or a workspace owner or admin. @throws WorkspaceError `forbidden` */
export function requireDeletion(member: Member, authorId: string, what: string): void {
  if (member.id === authorId || isAdmin(member)) return
  throw new WorkspaceError(
    'forbidden',
    `Only its author or a workspace owner or admin may delete this ${what}.`,
  )
}
