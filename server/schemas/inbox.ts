import { z } from 'zod'
import { notificationKinds } from '../../core/inbox/kinds.ts'
import type { PushDeviceView } from '../../core/notifications/push-devices.ts'
import { model, time } from './model.ts'

const kind = z.enum(notificationKinds)

export const inboxRecord = model(
  'InboxRecord',
  z.object({
    _id: z.string(),
    kind,
    author: z.object({ _id: z.string(), name: z.string() }),
    // A room, post, document, card or ask.
    placeId: z.string(),
    title: z.string(),
    preview: z.string().nullable(),
    at: time,
    url: z.string(),
  }),
)

export const notificationSettings = model(
  'NotificationSettings',
  z.object({
    mail: z.array(kind),
    quietFrom: z.string().nullable(),
    quietUntil: z.string().nullable(),
    timeZone: z.string(),
    pausedUntil: time.nullable(),
  }),
)

export const pushDevice = model(
  'PushDevice',
  z.object({
    id: z.string(),
    device: z.string(),
    kinds: z.array(kind),
    sound: z.boolean(),
    isThis: z.boolean(),
    createdAt: time,
  }) satisfies z.ZodType<PushDeviceView>,
)
