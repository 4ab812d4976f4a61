import type { AskRow } from '../../data/tables/asks.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberChanges } from './member.ts'
import { agentScopes, type Caller, type Member, type Scope } from './member.ts'
import type { Project, ProjectRole } from './project.ts'

// All permissions (`docs/interface.md#authentication`). Each `require…` throws `forbidden`.

export const isAdmin = (member: Member): boolean => member.role === 'owner' || member.role === 'admin'

export const hasScope = (caller: Caller, scope: Scope): boolean =>
  caller.scopes.has('*') || caller.scopes.has(scope)

export function requireScope(caller: Caller, scope: Scope): void {
  if (hasScope(caller, scope)) return
  throw new WorkspaceError(
    'forbidden',
    `This key lacks the scope ${scope}. Ask an owner or admin for a key that carries it.`,
  )
}

/**
 * Reading takes membership in the project, whatever the role in the workspace.
 * @param role in the project; null if they are not in it
 */
export const mayReadProject = (role: ProjectRole | null): boolean => role !== null

/** Refuses owners and admins outside the project, too: they must add themselves first. */
export function requireProject(member: Member, project: Project, role: ProjectRole | null): void {
  if (mayReadProject(role)) return
  const message = `You are not a member of the project ${project.slug}.`
  if (!isAdmin(member)) {
    throw new WorkspaceError('forbidden', `${message} Ask its lead, an owner or an admin to add you.`)
  }
  throw new WorkspaceError('forbidden', message, {
    next: {
      step: 'add yourself to the project',
      projectId: project.id,
      memberId: member.id,
      role: member.role,
    },
  })
}

/** Whether a member may know of a project and its members: those in it, owners and admins. */
export const mayListProject = (member: Member, role: ProjectRole | null): boolean =>
  role !== null || isAdmin(member)

export function requireProjectListed(member: Member, project: Project, role: ProjectRole | null): void {
  if (!mayListProject(member, role)) requireProject(member, project, role)
}

export const mayManageProject = (member: Member, role: ProjectRole | null): boolean =>
  role === 'lead' || isAdmin(member)

export function requireProjectManager(member: Member, role: ProjectRole | null, action: string): void {
  if (mayManageProject(member, role)) return
  throw new WorkspaceError('forbidden', `Only a lead of the project, an owner or an admin may ${action}.`)
}

export function requireProjectAdministration(caller: Caller, role: ProjectRole | null, action: string): void {
  requireProjectManager(caller.member, role, action)
  requireUnlimitedKey(caller)
}

/** Requires an unlimited key, since a limited one could create an unlimited one. */
export function requireAdministration(caller: Caller): void {
  if (!isAdmin(caller.member)) {
    throw new WorkspaceError('forbidden', 'Only a workspace owner or admin may do this.')
  }
  requireUnlimitedKey(caller)
}

const hasAllScopes = (caller: Caller): boolean => agentScopes.every((scope) => hasScope(caller, scope))

/** A key that expires counts as limited: what it creates could outlast it. */
function requireUnlimitedKey(caller: Caller, action = 'Administration'): void {
  if (!hasAllScopes(caller)) {
    throw new WorkspaceError(
      'forbidden',
      `This key is limited to some scopes. ${action} takes a key that carries all of them. Ask an owner or admin for one.`,
    )
  }
  if (caller.expiresMs === undefined) return
  throw new WorkspaceError('forbidden', `This key expires. ${action} takes a key that does not.`)
}

/** A session has all permissions of its member, which a limited key must not gain. */
export function requireUnlimitedSignIn(caller: Caller): void {
  if (!hasAllScopes(caller)) {
    throw new WorkspaceError(
      'forbidden',
      'This key is limited to some scopes. Sign in with a key that carries all of them, or with a link.',
    )
  }
  if (caller.expiresMs === undefined) return
  throw new WorkspaceError(
    'forbidden',
    'This key expires, and a session would outlast it. Sign in with a key that does not expire, or with a link.',
  )
}

/** People manage their own keys, and those of their agents that administer nothing. */
export const managesOwnKeysOf = (caller: Member, member: Member): boolean =>
  caller.type === 'human' &&
  (caller.id === member.id || (member.ownerId === caller.id && member.role === 'member'))

export function requireKeyAccess(caller: Caller, member: Member): void {
  if (managesOwnKeysOf(caller.member, member)) requireUnlimitedKey(caller, 'Managing keys')
  else requireAdministratorOf(caller, member)
}

/** Requires a key or a new session: an unattended browser must not yield a key that lasts. */
export function requireKeyIssue(caller: Caller, member: Member, nowMs: number): void {
  requireKeyAccess(caller, member)
  if (!managesOwnKeysOf(caller.member, member) || isFreshSignIn(caller, nowMs)) return
  throw new WorkspaceError(
    'forbidden',
    `A key can only be created within ${recentSignInMs / 60_000} minutes of signing in. Sign in again, or use a key that carries all scopes.`,
  )
}

/** Only owners administer owners: an admin could otherwise get an owner's key. */
function requireAdministratorOf(caller: Caller, member: Member): void {
  requireAdministration(caller)
  if (member.role === 'owner') requireOwnerFor(caller, 'change an owner or manage the keys of one')
}

/** Requires a new session, since a passkey lasts as a key does. */
export function requireNewPasskey(caller: Caller, nowMs: number): void {
  requirePerson(caller.member, 'have a passkey')
  if (caller.signedInMs !== undefined && isFreshSignIn(caller, nowMs)) return
  throw new WorkspaceError(
    'forbidden',
    `A passkey can only be added within ${recentSignInMs / 60_000} minutes of signing in. Sign in again.`,
  )
}

export function requireOwnerFor(caller: Caller, action: string): void {
  if (caller.member.role === 'owner') return
  throw new WorkspaceError('forbidden', `Only a workspace owner may ${action}.`)
}

const recentSignInMs = 15 * 60 * 1000

export function isFreshSignIn({ signedInMs }: Caller, nowMs: number): boolean {
  if (signedInMs === undefined) return true
  // A sign-in in the future was before the clock was set back.
  return signedInMs <= nowMs && nowMs - signedInMs < recentSignInMs
}

/** A member signs in by mail address; settings, commands and requests refer to members by name. */
const identityFields = ['name', 'email', 'emailNotifications'] as const

/** Identifying fields require an unlimited key, a new mail address also a key or a new session. */
export function requireMemberChange(
  caller: Caller,
  member: Member,
  { changes, nowMs }: { changes: MemberChanges; nowMs: number },
): void {
  const isOwnProfile =
    caller.member.id === member.id && changes.role === undefined && changes.status === undefined
  const changedIdentityFields = identityFields.filter((field) => changes[field] !== undefined)
  if (!isOwnProfile) requireOtherMemberChange(caller, member, changes)
  else if (changedIdentityFields.length > 0)
    requireUnlimitedKey(caller, `Changing ${changedIdentityFields.join(' and ')}`)
  const isNewEmail = changes.email !== undefined && changes.email !== member.email
  if (!isNewEmail || isFreshSignIn(caller, nowMs)) return
  throw new WorkspaceError(
    'forbidden',
    `An email address can only be changed within ${recentSignInMs / 60_000} minutes of signing in. Sign in again, or use a key that carries all scopes.`,
  )
}

function requireOtherMemberChange(caller: Caller, member: Member, changes: MemberChanges): void {
  if (!isAdmin(caller.member)) {
    throw new WorkspaceError(
      'forbidden',
      'You may change your own name, statusText, description, avatarUrl, email and emailNotifications. Only a workspace owner or admin may change a role, a status, or another member.',
    )
  }
  requireAdministratorOf(caller, member)
  if (changes.role === 'owner') requireOwnerFor(caller, 'make a member an owner')
}

export function requireWebhookAccess(caller: Caller, member: Member): void {
  if (member.type === 'agent' && caller.member.id === member.id) requireScope(caller, 'webhooks:write')
  else requireAgentAccess(caller, member)
}

export function requireAgentAccess(caller: Caller, member: Member): void {
  if (member.type === 'agent' && managesOwnKeysOf(caller.member, member)) {
    requireUnlimitedKey(caller, 'Managing an agent')
  } else requireAdministratorOf(caller, member)
}

/** Null for all. A webhook gets the scopes of the key that sets it, so that it receives no more. */
export const webhookScopes = (caller: Caller): Scope[] | null =>
  hasAllScopes(caller) ? null : agentScopes.filter((scope) => hasScope(caller, scope))

export const webhookHasScope = ({ scopes }: { scopes: readonly string[] | null }, scope: Scope): boolean =>
  scopes === null || scopes.includes(scope)

export function requireMetrics({ member }: Caller): void {
  if (isAdmin(member)) return
  throw new WorkspaceError('forbidden', 'Only a workspace owner or admin may read the metrics.')
}

/** Covers a member's mail address and an agent's owner. */
export const mayReadPrivateFields = (caller: Member, member: Member): boolean =>
  caller.id === member.id || isAdmin(caller)

export const mayWatchMember = (caller: Member, member: Member): boolean =>
  mayReadPrivateFields(caller, member) || member.ownerId === caller.id

/** Drafts are visible to their authors only, even to owners and admins. */
export const maySeeDraft = (member: Member, authorId: string): boolean => member.id === authorId

export const mayDelete = (member: Member, authorId: string | null): boolean =>
  member.id === authorId || isAdmin(member)

export function requireDeletion(member: Member, authorId: string | null, noun: string): void {
  if (mayDelete(member, authorId)) return
  throw new WorkspaceError(
    'forbidden',
    `Only ${authorId === null ? '' : 'its author or '}a workspace owner or admin may delete this ${noun}.`,
  )
}

/** Publishing another's draft would attribute words to them. */
export function requireOwnDocument(member: Member, authorId: string, action: string): void {
  if (member.id === authorId) return
  throw new WorkspaceError('forbidden', `Only its author may ${action}.`)
}

export function requireInRoom(room: RoomRow, isIn: boolean): void {
  if (isIn) return
  requireRoomEntry(room, isIn)
  throw new WorkspaceError('forbidden', `You are not in the room ${room.name}.`, {
    next: { step: 'join the room', roomId: room.id },
  })
}

export function requireRoomEntry(room: RoomRow, isIn: boolean): void {
  if (isIn || room.type === 'open') return
  throw new WorkspaceError(
    'forbidden',
    `You are not in this ${room.type} room. A person who is in it must invite you.`,
  )
}

/**
 * The member who created a room, owners and admins: those in it, and for an open room also those outside.
 * @param isIn whether the member is in the room
 */
export const mayManageRoom = (member: Member, room: RoomRow, isIn: boolean): boolean =>
  member.type === 'human' &&
  (isAdmin(member) || room.creatorId === member.id) &&
  (isIn || room.type === 'open')

export function requireRoomManager(
  member: Member,
  room: RoomRow,
  { isIn, action }: { isIn: boolean; action: string },
): void {
  requireRoomEntry(room, isIn)
  if (mayManageRoom(member, room, isIn)) return
  throw new WorkspaceError(
    'forbidden',
    `Only the person who created it, a workspace owner or an admin may ${action}.`,
  )
}

export function requirePerson(member: Member, action: string): void {
  if (member.type === 'human') return
  throw new WorkspaceError('forbidden', `Only a person may ${action}.`)
}

/** An ask is visible in its project, and to who raised it. @throws WorkspaceError `forbidden` */
export function requireAskVisible(
  member: Member,
  creatorId: string,
  project: Project,
  role: ProjectRole | null,
): void {
  if (member.id !== creatorId || project.deletedMs !== null) requireProject(member, project, role)
}

export function requireAskHolder(
  member: Member,
  ask: Pick<AskRow, 'id' | 'state' | 'claimedBy'>,
  action: 'release' | 'resolve',
): void {
  if (isAdmin(member) || (ask.state === 'claimed' && ask.claimedBy === member.id)) return
  throw new WorkspaceError(
    'forbidden',
    `Only the member who claimed this ask, a workspace owner or an admin may ${action} it.`,
    ask.state === 'open' ? { next: { step: 'claim the ask', askId: ask.id } } : {},
  )
}

export function requireAskCancellation(member: Member, creatorId: string): void {
  if (member.id === creatorId || isAdmin(member)) return
  throw new WorkspaceError(
    'forbidden',
    'Only the member who created this ask, a workspace owner or an admin may cancel it.',
  )
}

/** The signal means that an agent is preparing a reply. */
export function requireTypist(member: Member): void {
  if (member.type === 'agent') return
  throw new WorkspaceError('forbidden', 'Only agents send typing signals.')
}

export function requireAuthorship(
  member: Member,
  authorId: string,
  noun: 'message' | 'comment' = 'message',
): void {
  if (member.id === authorId) return
  throw new WorkspaceError('forbidden', `Only its author may change a ${noun}.`)
}

export function requireAttachmentAuthor(member: Member, authorId: string): void {
  if (member.id === authorId) return
  throw new WorkspaceError('forbidden', 'Only its author may attach files to a post.')
}

/** An uploaded file has no author, so project managers delete it. */
export function requireFileDeletion(member: Member, role: ProjectRole | null): void {
  if (role === 'lead' || isAdmin(member)) return
  throw new WorkspaceError(
    'forbidden',
    'Only the lead of the project, a workspace owner or an admin may delete an uploaded file.',
  )
}
