import type { Member, MemberStatus, MemberType, WorkspaceRole } from '../access/member.ts'
import type { KeyRecord } from './directory.ts'

export interface MemberView {
  _id: string
  name: string
  type: MemberType
  role: WorkspaceRole
  avatarUrl: string
  statusText: string
  description: string
}

export interface MemberDetail extends MemberView {
  status: MemberStatus
  /** Visible to the member, owners and admins only, as are the next two. */
  email?: string
  emailNotifications?: boolean
  /** The person to whom an agent belongs; null for a person. */
  ownerId?: string | null
}

export interface KeyView {
  id: string
  label: string
  scopes: string[]
  createdAt: number
  /** To the minute; null: never. */
  lastUsedAt: number | null
  expiresAt?: number
}

export const memberView = (member: Member): MemberView => ({
  _id: member.id,
  name: member.name,
  type: member.type,
  role: member.role,
  avatarUrl: member.avatarUrl,
  statusText: member.statusText,
  description: member.description,
})

export const memberDetail = (member: Member, includesPrivate: boolean): MemberDetail => ({
  ...memberView(member),
  status: member.status,
  ...(includesPrivate && {
    email: member.email,
    emailNotifications: member.emailNotifications,
    ownerId: member.ownerId,
  }),
})

export const keyView = ({ id, label, scopes, createdMs, lastUsedMs, expiresMs }: KeyRecord): KeyView => ({
  id,
  label,
  scopes,
  createdAt: createdMs,
  lastUsedAt: lastUsedMs,
  ...(expiresMs !== null && { expiresAt: expiresMs }),
})
