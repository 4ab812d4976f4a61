import { z } from 'zod'
import { memberStatuses, memberTypes, workspaceRoles } from '../../core/access/member.ts'
import type { InviteView } from '../../core/members/invite-store.ts'
import type { KeyView, MemberDetail, MemberView } from '../../core/members/views.ts'
import { type DeliveryView, type WebhookView, webhookEvents } from '../../core/webhooks/types.ts'
import { model, time } from './model.ts'

export const member = model(
  'Member',
  z.object({
    _id: z.string(),
    name: z.string(),
    type: z.enum(memberTypes),
    role: z.enum(workspaceRoles),
    avatarUrl: z.string(),
    statusText: z.string(),
    description: z.string(),
  }) satisfies z.ZodType<MemberView>,
)

export const memberDetail = model(
  'MemberDetail',
  z.object({
    ...member.shape,
    status: z.enum(memberStatuses),
    email: z.string().exactOptional(),
    emailNotifications: z.boolean().exactOptional(),
    ownerId: z.string().nullable().exactOptional(),
  }) satisfies z.ZodType<MemberDetail>,
)

export const memberWithKey = model('MemberWithKey', z.object({ member: memberDetail, key: z.string() }))

const keyFields = {
  id: z.string(),
  label: z.string(),
  scopes: z.array(z.string()),
  expiresAt: time.exactOptional(),
}

export const key = model(
  'Key',
  z.object({
    ...keyFields,
    createdAt: time,
    lastUsedAt: time.nullable(),
  }) satisfies z.ZodType<KeyView>,
)

/** The secret is shown once. */
export const issuedKey = model('IssuedKey', z.object({ ...keyFields, key: z.string() }))

const invited = {
  role: z.enum(workspaceRoles),
  type: z.enum(memberTypes).nullable(),
  expiresAt: time.nullable(),
  projects: z.array(z.string()).exactOptional(),
  rooms: z.array(z.string()).exactOptional(),
}

export const invite = model(
  'Invite',
  z.object({
    id: z.string(),
    ...invited,
    usesLeft: z.int(),
    createdBy: z.string(),
    createdAt: time,
  }) satisfies z.ZodType<InviteView>,
)

/** The code is shown once. */
export const issuedInvite = model(
  'IssuedInvite',
  z.object({ id: z.string(), code: z.string(), ...invited, uses: z.int() }),
)

const webhookAddress = { url: z.string().nullable(), events: z.array(z.enum(webhookEvents)) }

export const webhook = model(
  'Webhook',
  z.object({
    ...webhookAddress,
    state: z.enum(['ok', 'failing']),
    failingSince: time.nullable(),
    secretCreatedAt: time.nullable(),
  }) satisfies z.ZodType<WebhookView>,
)

export const webhookChange = model(
  'WebhookChange',
  z.object({ ...webhookAddress, secret: z.string().exactOptional() }),
)

export const delivery = model(
  'Delivery',
  z.object({
    id: z.string(),
    event: z.enum(webhookEvents),
    state: z.enum(['pending', 'delivered', 'failed', 'cancelled', 'held']),
    attempts: z.int(),
    nextAttemptAt: time.nullable(),
    lastStatus: z.int().nullable(),
    lastError: z.string().nullable(),
    createdAt: time,
  }) satisfies z.ZodType<DeliveryView>,
)

export const workspace = model('Workspace', z.object({ id: z.string(), name: z.string(), slug: z.string() }))
