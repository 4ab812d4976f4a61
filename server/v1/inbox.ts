import { z } from 'zod'
import type { InboxRecord } from '../../core/inbox/inbox-records.ts'
import { type NotificationKind, notificationKinds } from '../../core/inbox/kinds.ts'
import { maxPauseMinutes, minutesOf, timeOfDay } from '../../core/notifications/notification-settings.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { count, refusalBy, refusedAs, withAliases } from '../input-types.ts'
import { inboxRecord, notificationSettings, pushDevice } from '../schemas/inbox.ts'
import { done } from '../schemas/model.ts'

const maxRecords = 100

const settings = '/v1/inbox/settings'
const devices = '/v1/inbox/devices'

const listRecords = accepts({ query: { limit: count(1000).default(maxRecords) } })
const markRead = accepts({ body: { ids: withAliases(z.array(z.string()).optional(), 'id', 'records') } })

const kinds = refusedAs(z.array(z.enum(notificationKinds)), z.array(z.string()), (kinds) => {
  const unknown = kinds.find((kind) => !notificationKinds.includes(kind as NotificationKind))
  return `There is no kind ${JSON.stringify(unknown)}. The kinds are ${notificationKinds.join(', ')}.`
})

const quietTime = refusedAs(z.string().regex(timeOfDay).nullable(), z.string().nullable(), (time) =>
  refusalBy(() => minutesOf(time)),
)

const pauseMinutes = refusedAs(
  z.int().min(0).max(maxPauseMinutes),
  z.int(),
  () => `The pauseMinutes are from 0 to ${maxPauseMinutes}.`,
)

const changeSettings = accepts({
  body: {
    mail: withAliases(kinds.optional(), 'email', 'mails'),
    quietFrom: quietTime.optional(),
    quietUntil: quietTime.optional(),
    timeZone: withAliases(z.string().optional(), 'timezone', 'zone'),
    pauseMinutes: withAliases(pauseMinutes.optional(), 'pause', 'doNotDisturb', 'snooze'),
  },
})

const addDevice = accepts({ body: { endpoint: z.string(), p256dh: z.string(), auth: z.string() } })

const changeDevice = accepts({ body: { kinds: kinds.optional(), sound: z.boolean().optional() } })

export const inboxRoutes = ({ inbox }: Pick<Workspace, 'inbox'>): Routes =>
  newRoutes()
    .purpose('List your unread inbox records, newest first')
    .answers(z.object({ records: z.array(inboxRecord) }))
    .refuses('forbidden')
    .get('/v1/inbox', listRecords, (ctx) => {
      const limit = Math.min(listRecords.query(ctx).limit, maxRecords)
      ctx.body = { records: inbox.records.unread(ctx.state.caller, limit).map(viewOf) }
    })
    .purpose('Mark records of the inbox as read, some or all')
    .answers(z.object({ read: z.int() }))
    .refuses('forbidden')
    .post('/v1/inbox/read', markRead, async (ctx) => {
      const { ids } = await markRead.fields(ctx)
      ctx.body = { read: await inbox.records.markRead(ctx.state.caller, ids) }
    })
    .purpose('Read how you are notified')
    .answers(z.object({ settings: notificationSettings }))
    .get(settings, (ctx) => {
      ctx.body = { settings: inbox.settings.get(ctx.state.caller) }
    })
    .purpose('Choose how you are notified')
    .answers(z.object({ settings: notificationSettings }))
    .refuses('forbidden')
    .patch(settings, changeSettings, async (ctx) => {
      const changes = await changeSettings.fields(ctx)
      ctx.body = { settings: await inbox.settings.change(ctx.state.caller, changes) }
    })
    .purpose('List the browsers that show your notifications')
    .answers(z.object({ publicKey: z.string(), devices: z.array(pushDevice) }))
    .get(devices, (ctx) => {
      const { publicKey } = inbox.devices
      ctx.body = { publicKey, devices: inbox.devices.list(ctx.state.caller) }
    })
    .purpose('Push notifications to this browser')
    .answers(z.object({ device: pushDevice }), 201)
    .refuses('forbidden')
    .post(devices, addDevice, async (ctx) => {
      const device = await inbox.devices.add(ctx.state.caller, await addDevice.fields(ctx))
      ctx.status = 201
      ctx.body = { device }
    })
    .purpose('Choose what a browser shows')
    .answers(z.object({ device: pushDevice }))
    .refuses('not_found')
    .patch(`${devices}/:id`, changeDevice, async (ctx) => {
      const changes = await changeDevice.fields(ctx)
      ctx.body = { device: await inbox.devices.change(ctx.state.caller, ctx.params.id!, changes) }
    })
    .purpose('Stop pushing notifications to a browser')
    .answers(done)
    .refuses('not_found')
    .delete(`${devices}/:id`, async (ctx) => {
      await inbox.devices.remove(ctx.state.caller, ctx.params.id!)
      ctx.body = { ok: true }
    })

const viewOf = ({ id, kind, authorId, author, placeId, title, preview, at, url }: InboxRecord) => ({
  _id: id,
  kind,
  author: { _id: authorId, name: author },
  placeId,
  title,
  preview,
  at,
  url,
})
