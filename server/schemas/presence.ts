import { z } from 'zod'
import { memberTypes } from '../../core/access/member.ts'
import { author, model, time } from './model.ts'

export const presentMember = model(
  'PresentMember',
  z.object({
    memberId: z.string(),
    name: z.string(),
    type: z.enum(memberTypes),
    kind: z.string(),
    block: z.string().nullable(),
    lastSeenAt: time,
  }),
)

export const presenceList = model(
  'PresenceList',
  z.object({
    ttlSeconds: z.int(),
    member: author.nullable(),
    documents: z.array(
      z.object({
        docId: z.string(),
        title: z.string(),
        filename: z.string(),
        path: z.string(),
        project: z.object({ slug: z.string(), name: z.string() }),
        url: z.string(),
        here: z.array(presentMember),
      }),
    ),
  }),
)
