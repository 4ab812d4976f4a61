import type { InboxRecord } from '../../core/inbox/inbox-records.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { limitOf } from '../page-request.ts'
import {
  boolean,
  integer,
  nullable,
  optional,
  readFields,
  text,
  texts,
  withAliases,
} from '../request-fields.ts'

const maxRecords = 100

const settings = '/v1/inbox/settings'
const devices = '/v1/inbox/devices'

export const inboxRoutes = ({ inbox }: Pick<Workspace, 'inbox'>): Routes =>
  newRoutes()
    .purpose('List what concerns you and is unread, newest first')
    .get('/v1/inbox', accepts({ query: ['limit'] }), (ctx) => {
      const limit = Math.min(limitOf(ctx) ?? maxRecords, maxRecords)
      ctx.body = { records: inbox.records.unread(ctx.state.caller, limit).map(viewOf) }
    })
    .purpose('Mark records of the inbox as read, some or all')
    .post('/v1/inbox/read', accepts({ body: 'json' }), async (ctx) => {
      const { ids } = await readFields(ctx, { ids: withAliases(optional(texts), 'id', 'records') })
      ctx.body = { read: await inbox.records.markRead(ctx.state.caller, ids) }
    })
    .purpose('Read how you are notified')
    .get(settings, (ctx) => {
      ctx.body = { settings: inbox.settings.get(ctx.state.caller) }
    })
    .purpose('Choose how you are notified')
    .patch(settings, accepts({ body: 'json' }), async (ctx) => {
      const changes = await readFields(ctx, {
        mail: withAliases(optional(texts), 'email', 'mails'),
        quietFrom: optional(nullable(text)),
        quietUntil: optional(nullable(text)),
        timeZone: withAliases(optional(text), 'timezone', 'zone'),
        pauseMinutes: withAliases(optional(integer), 'pause', 'doNotDisturb', 'snooze'),
      })
      ctx.body = { settings: await inbox.settings.change(ctx.state.caller, changes) }
    })
    .purpose('List the browsers that show your notifications')
    .get(devices, (ctx) => {
      const { publicKey } = inbox.devices
      ctx.body = { publicKey, devices: inbox.devices.list(ctx.state.caller) }
    })
    .purpose('Push notifications to this browser')
    .post(devices, accepts({ body: 'json' }), async (ctx) => {
      const fields = await readFields(ctx, { endpoint: text, p256dh: text, auth: text })
      const device = await inbox.devices.add(ctx.state.caller, fields)
      ctx.status = 201
      ctx.body = { device }
    })
    .purpose('Choose what a browser shows')
    .patch(`${devices}/:id`, accepts({ body: 'json' }), async (ctx) => {
      const changes = await readFields(ctx, { kinds: optional(texts), sound: optional(boolean) })
      ctx.body = { device: await inbox.devices.change(ctx.state.caller, ctx.params.id!, changes) }
    })
    .purpose('Push no more notifications to a browser')
    .delete(`${devices}/:id`, async (ctx) => {
      await inbox.devices.remove(ctx.state.caller, ctx.params.id!)
      ctx.body = { ok: true }
    })

const viewOf = ({ id, kind, authorId, author, title, preview, at, url }: InboxRecord) => ({
  _id: id,
  kind,
  author: { _id: authorId, name: author },
  title,
  preview,
  at,
  url,
})
