import type { AskRow } from '../../data/tables/asks.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberChanges } from './member.ts'
import { agentScopes, type Caller, type Member, type Scope } from './member.ts'
import type { Project, ProjectRole } from './project.ts'

/**
 * Who may do what: every permission of the workspace stands in this file (`docs/interface.md#authentication`).
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

/**
 * Whether a member may read what is in a project. It takes being in it, whatever their role in the workspace.
 * @param role the member's in the project; null: they are not in it
 */
export const mayReadProject = (role: ProjectRole | null): boolean => role !== null

/** @throws WorkspaceError `forbidden` for those who are not in the project, owners and admins among them */
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

/** Whether a member may know that a project is there and who is in it: those in it, and owners and admins. */
export const mayListProject = (member: Member, role: ProjectRole | null): boolean =>
  role !== null || isAdmin(member)

/** @throws WorkspaceError `forbidden` for those who may neither read nor administer the project */
export function requireProjectListed(member: Member, project: Project, role: ProjectRole | null): void {
  if (!mayListProject(member, role)) requireProject(member, project, role)
}

/** Who cares for a project: its leads, and owners and admins for every one. @param role the member's in the project */
export const mayManageProject = (member: Member, role: ProjectRole | null): boolean =>
  role === 'lead' || isAdmin(member)

/**
 * What those alone do who care for a project.
 * @param role the member's in the project
 * @param doing what they alone may do, as the end of a sentence
 * @throws WorkspaceError `forbidden`
 */
export function requireProjectManager(member: Member, role: ProjectRole | null, doing: string): void {
  if (mayManageProject(member, role)) return
  throw new WorkspaceError('forbidden', `Only a lead of the project, an owner or an admin may ${doing}.`)
}

/**
 * Administration of a project: its name, whether it is archived, and who is in it. Like all administration it takes a
 * key that is not limited.
 * @throws WorkspaceError `forbidden`
 */
export function requireProjectAdministration(caller: Caller, role: ProjectRole | null, doing: string): void {
  requireProjectManager(caller.member, role, doing)
  requireUnlimitedKey(caller)
}

/**
 * Administration of members, keys, projects and invites. It takes a key that is not limited: with one that is, somebody
 * could make another that is not.
 * @throws WorkspaceError `forbidden`
 */
export function requireAdministration(caller: Caller): void {
  if (!isAdmin(caller.member)) {
    throw new WorkspaceError('forbidden', 'Only a workspace owner or admin may do this.')
  }
  requireUnlimitedKey(caller)
}

/** @param doing what takes it, as the beginning of a sentence @throws WorkspaceError `forbidden` */
function requireUnlimitedKey(caller: Caller, doing = 'Administration'): void {
  if (agentScopes.every((scope) => hasScope(caller, scope))) return
  throw new WorkspaceError(
    'forbidden',
    `This key is limited to some scopes. ${doing} takes a key that carries all of them. Ask an owner or admin for one.`,
  )
}

/**
 * A session may do all that its member may: with a key that may do less, somebody could get more.
 * @throws WorkspaceError `forbidden`
 */
export function requireUnlimitedSignIn(caller: Caller): void {
  if (agentScopes.every((scope) => hasScope(caller, scope))) return
  throw new WorkspaceError(
    'forbidden',
    'This key is limited to some scopes. Sign in with a key that carries all of them, or with a link.',
  )
}

/** An owner is cared for by owners alone: an admin with a key of an owner would be one. @throws WorkspaceError `forbidden` */
export function requireAdministratorOf(caller: Caller, member: Member): void {
  requireAdministration(caller)
  if (member.role === 'owner') requireOwnerFor(caller, 'change an owner or manage the keys of one')
}

/** @param doing what only an owner may do, as the end of a sentence @throws WorkspaceError `forbidden` */
export function requireOwnerFor(caller: Caller, doing: string): void {
  if (caller.member.role === 'owner') return
  throw new WorkspaceError('forbidden', `Only a workspace owner may ${doing}.`)
}

/** For how long after signing in a session may change a mail address, in milliseconds. */
const recentSignInMs = 15 * 60 * 1000

/** Whether a caller may change a mail address: by a key, or a session that has just begun. */
export function mayChangeEmail({ signedInMs }: Caller, nowMs: number): boolean {
  if (signedInMs === undefined) return true
  // A session from the future is older than a clock that was set back.
  return signedInMs <= nowMs && nowMs - signedInMs < recentSignInMs
}

/**
 * What of one's own profile says who one is and where one is reached. Whoever chooses where links to sign in with are
 * mailed can be that member, and names are what settings, commands and requests know members by.
 */
const identityFields = ['name', 'email', 'emailNotifications'] as const

/**
 * Members write their own profile; what identifies them takes a key that is not limited, and a mail address a key or a
 * session that has just begun. Role and status, and the profile of anybody else, are administration, and only owners
 * make owners.
 * @throws WorkspaceError `forbidden`
 */
export function requireMemberChange(
  caller: Caller,
  member: Member,
  { changes, nowMs }: { changes: MemberChanges; nowMs: number },
): void {
  const isOwnProfile =
    caller.member.id === member.id && changes.role === undefined && changes.status === undefined
  const identified = identityFields.filter((field) => changes[field] !== undefined)
  if (!isOwnProfile) requireOtherMemberChange(caller, member, changes)
  else if (identified.length > 0) requireUnlimitedKey(caller, `Changing ${identified.join(' and ')}`)
  const isNewEmail = changes.email !== undefined && changes.email !== member.email
  if (!isNewEmail || mayChangeEmail(caller, nowMs)) return
  throw new WorkspaceError(
    'forbidden',
    `A mail address is changed within ${recentSignInMs / 60_000} minutes of signing in. Sign in again, or use a key that carries all scopes.`,
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

/**
 * Where an agent is called, and what it was told there: administration, or the agent's own with a key for it.
 * @throws WorkspaceError `forbidden`
 */
export function requireWebhookAccess(caller: Caller, member: Member): void {
  if (member.type === 'agent' && caller.member.id === member.id) requireScope(caller, 'webhooks:write')
  else requireAdministratorOf(caller, member)
}

/**
 * What a webhook may bring that a caller sets: no more than their key, or an agent could hear with a limited key what
 * that may not read. Null: everything.
 */
export const webhookScopes = (caller: Caller): Scope[] | null =>
  agentScopes.every((scope) => hasScope(caller, scope))
    ? null
    : agentScopes.filter((scope) => hasScope(caller, scope))

/** Whether a webhook carries what takes this scope. @param webhook with the scopes that it was set with, null: all */
export const webhookHasScope = ({ scopes }: { scopes: readonly string[] | null }, scope: Scope): boolean =>
  scopes === null || scopes.includes(scope)

/** How the server fares, which says how many members, documents and deliveries there are. @throws WorkspaceError `forbidden` */
export function requireMetrics({ member }: Caller): void {
  if (isAdmin(member)) return
  throw new WorkspaceError('forbidden', 'Only a workspace owner or admin may read the metrics.')
}

/** Who is shown a member's email address, and to whom an agent belongs. */
export const mayReadPrivateFields = (caller: Member, member: Member): boolean =>
  caller.id === member.id || isAdmin(caller)

/** Who learns that something of a member's own has changed, such as their inbox, their keys or their webhook. */
export const mayWatchMember = (caller: Member, member: Member): boolean =>
  mayReadPrivateFields(caller, member) || member.ownerId === caller.id

/** Drafts are visible to their author alone, whatever anyone's role. */
export const maySeeDraft = (member: Member, authorId: string): boolean => member.id === authorId

export const mayDelete = (member: Member, authorId: string | null): boolean =>
  member.id === authorId || isAdmin(member)

/** Deleting takes the author (null: it has none), or a workspace owner or admin. @throws WorkspaceError `forbidden` */
export function requireDeletion(member: Member, authorId: string | null, what: string): void {
  if (mayDelete(member, authorId)) return
  throw new WorkspaceError(
    'forbidden',
    `Only ${authorId === null ? '' : 'its author or '}a workspace owner or admin may delete this ${what}.`,
  )
}

/**
 * Publishing what somebody else wrote would put words in their mouth, and making it one's own draft would take it from
 * them: with what it says, a document that is moved there is its author's.
 * @param doing as the end of a sentence
 * @throws WorkspaceError `forbidden`
 */
export function requireOwnDocument(member: Member, authorId: string, doing: string): void {
  if (member.id === authorId) return
  throw new WorkspaceError('forbidden', `Only its author may ${doing}.`)
}

/** Reading a room, speaking in it, and what else those in it may do. @throws WorkspaceError `forbidden`, saying how to get in */
export function requireInRoom(room: RoomRow, isIn: boolean): void {
  if (isIn) return
  requireRoomEntry(room, isIn)
  throw new WorkspaceError('forbidden', `You are not in the room ${room.name}.`, {
    next: { step: 'join the room', roomId: room.id },
  })
}

/** Joining: everybody may come into an open room, and nobody by themselves into another. @throws WorkspaceError `forbidden` */
export function requireRoomEntry(room: RoomRow, isIn: boolean): void {
  if (isIn || room.type === 'open') return
  throw new WorkspaceError(
    'forbidden',
    `You are not in this ${room.type} room. A person who is in it must invite you.`,
  )
}

/** @param doing what agents may not do, as the end of a sentence @throws WorkspaceError `forbidden` */
export function requirePerson(member: Member, doing: string): void {
  if (member.type === 'human') return
  throw new WorkspaceError('forbidden', `Only a person may ${doing}.`)
}

/** An ask is seen by those in its project, and by who raised it wherever they are. @throws WorkspaceError `forbidden` */
export function requireAskVisible(
  member: Member,
  creatorId: string,
  project: Project,
  role: ProjectRole | null,
): void {
  if (member.id !== creatorId) requireProject(member, project, role)
}

/** Work that was claimed is done, or given back, by who has claimed it, an owner or an admin. @throws WorkspaceError `forbidden` */
export function requireAskHolder(
  member: Member,
  ask: Pick<AskRow, 'id' | 'state' | 'claimedBy'>,
  doing: 'release' | 'resolve',
): void {
  if (isAdmin(member) || (ask.state === 'claimed' && ask.claimedBy === member.id)) return
  throw new WorkspaceError(
    'forbidden',
    `Only the member who claimed this ask, a workspace owner or an admin may ${doing} it.`,
    ask.state === 'open' ? { next: { step: 'claim the ask', askId: ask.id } } : {},
  )
}

/** @throws WorkspaceError `forbidden` */
export function requireAskCancellation(member: Member, creatorId: string): void {
  if (member.id === creatorId || isAdmin(member)) return
  throw new WorkspaceError(
    'forbidden',
    'Only the member who created this ask, a workspace owner or an admin may cancel it.',
  )
}

/** The signal says that an agent is at work on an answer. @throws WorkspaceError `forbidden` */
export function requireTypist(member: Member): void {
  if (member.type === 'agent') return
  throw new WorkspaceError('forbidden', 'Only agents send typing signals.')
}

/** @throws WorkspaceError `forbidden` for a message of somebody else */
export function requireAuthorship(member: Member, authorId: string): void {
  if (member.id === authorId) return
  throw new WorkspaceError('forbidden', 'Only its author may change a message.')
}

/** What belongs to a post or draft is its author's to add. @throws WorkspaceError `forbidden` */
export function requireAttachmentAuthor(member: Member, authorId: string): void {
  if (member.id === authorId) return
  throw new WorkspaceError('forbidden', 'Only its author may attach files to a post.')
}

/** An uploaded file has no author: deleting it is for those who care for the project. @throws WorkspaceError `forbidden` */
export function requireFileDeletion(member: Member, role: ProjectRole | null): void {
  if (role === 'lead' || isAdmin(member)) return
  throw new WorkspaceError(
    'forbidden',
    'Only the lead of the project, a workspace owner or an admin may delete an uploaded file.',
  )
}
