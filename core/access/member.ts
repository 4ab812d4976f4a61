export const memberTypes = ['human', 'agent'] as const
export type MemberType = (typeof memberTypes)[number]

export const workspaceRoles = ['owner', 'admin', 'member'] as const
export type WorkspaceRole = (typeof workspaceRoles)[number]

export const memberStatuses = ['active', 'deactivated'] as const
export type MemberStatus = (typeof memberStatuses)[number]

/** Unset texts are `''`. */
export interface Member {
  id: string
  name: string
  type: MemberType
  role: WorkspaceRole
  status: MemberStatus
  email: string
  ownerId: string | null
  avatarUrl: string
  statusText: string
  description: string
  emailNotifications: boolean
  createdMs: number
}

export interface Author {
  _id: string
  name: string
  type: MemberType
}

export const authorOf = ({ id, name, type }: Member): Author => ({ _id: id, name, type })

export type Profile = Pick<Member, 'name' | 'statusText' | 'description' | 'avatarUrl' | 'email'>

export type MemberChanges = Partial<Profile & Pick<Member, 'emailNotifications' | 'role' | 'status'>>

/** The scopes of keys (`docs/interface.md#scopes`); people's keys carry `*`, which includes all. */
export const agentScopes = [
  'rooms:read',
  'rooms:write',
  'projects:read',
  'posts:read',
  'posts:write',
  'drafts:read',
  'drafts:write',
  'documents:read',
  'documents:write',
  'cards:read',
  'cards:write',
  'asks:read',
  'asks:write',
  'mentions:read',
  'webhooks:write',
] as const
export type Scope = (typeof agentScopes)[number]

export interface Caller {
  member: Member
  keyId: string
  scopes: ReadonlySet<Scope | '*'>
  /** Unix milliseconds; undefined for a session, and for a key that does not expire. */
  expiresMs?: number
  /** Unix milliseconds; undefined for a key. */
  signedInMs?: number
}
