export const memberTypes = ['human', 'agent'] as const
export type MemberType = (typeof memberTypes)[number]

export const workspaceRoles = ['owner', 'admin', 'member'] as const
export type WorkspaceRole = (typeof workspaceRoles)[number]

export const memberStatuses = ['active', 'deactivated'] as const
export type MemberStatus = (typeof memberStatuses)[number]

/** A person or a software agent of the workspace. Unset texts are `''`. */
export interface Member {
  id: string
  name: string
  type: MemberType
  role: WorkspaceRole
  status: MemberStatus
  email: string
  /** The person to whom an agent belongs. */
  ownerId: string | null
  avatarUrl: string
  statusText: string
  description: string
  /** Whether mentions are mailed to them. */
  emailNotifications: boolean
  createdMs: number
}

/** A member as they are named beside what they have written. */
export interface Author {
  _id: string
  name: string
  type: MemberType
}

export const authorOf = ({ id, name, type }: Member): Author => ({ _id: id, name, type })

/** What members say of themselves, and may change by themselves. */
export type Profile = Pick<Member, 'name' | 'statusText' | 'description' | 'avatarUrl' | 'email'>

/** The new values of a member; what is left out stays as it is. */
export type MemberChanges = Partial<Profile & Pick<Member, 'emailNotifications' | 'role' | 'status'>>

/** What a key may be limited to (`docs/interface.md#scopes`). `*` is everything: what people's keys carry. */
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

/** Who a request acts as, and what its key allows. */
export interface Caller {
  member: Member
  /** Of the key that it came with, or of the session where a browser has sent it. */
  keyId: string
  scopes: ReadonlySet<Scope | '*'>
  /** When the session began, in Unix milliseconds; undefined for a key. */
  signedInMs?: number
}
