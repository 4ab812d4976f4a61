import type { Asks } from '../../core/asks/asks.ts'
import { askKinds, askStates } from '../../core/asks/types.ts'
import { WorkspaceError } from '../../core/errors.ts'
import { type Context, newRoutes, type Routes } from '../context.ts'
import { oneOf, optional, queryText, readFields, text, texts } from '../request-fields.ts'
import { clientNamed } from './client-name.ts'
import { limitOf } from './messages.ts'

const ask = '/api/asks/:askId'

const newAsk = {
  project: optional(text),
  projectId: optional(text),
  title: text,
  body: optional(text),
  kind: optional(oneOf(askKinds)),
  options: optional(texts),
  assignees: optional(texts),
  roomId: optional(text),
}

/** Asks: raised, listed, claimed, released, resolved, cancelled, assigned. */
export const askRoutes = (asks: Asks): Routes =>
  newRoutes()
    .get('/api/asks', (ctx) => {
      const project = queryText(ctx, 'project')
      const state = stateOf(ctx)
      const cursor = queryText(ctx, 'cursor')
      ctx.body = asks.list(ctx.state.caller, {
        limit: limitOf(ctx),
        ...(project !== undefined && { project }),
        ...(state !== undefined && { state }),
        ...(cursor && { cursor }),
      })
    })
    .post('/api/asks', async (ctx) => {
      const { projectId, project = projectId, ...fields } = await readFields(ctx, newAsk)
      if (project === undefined) {
        throw new WorkspaceError('bad_request', 'The body must hold the field project, a slug or an id.')
      }
      const sentVia = clientNamed(ctx.req.headers['x-service-client'])
      const idempotencyKey = ctx.req.headers['idempotency-key']
      const created = await asks.create(ctx.state.caller, {
        ...fields,
        project,
        ...(sentVia !== undefined && { sentVia }),
        ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      })
      ctx.status = 201
      ctx.body = created
    })
    .get(ask, (ctx) => {
      ctx.body = { ask: asks.get(ctx.state.caller, ctx.params.askId!) }
    })
    .post(`${ask}/claim`, async (ctx) => {
      const { _id: askId, state, claimedBy } = await asks.claim(ctx.state.caller, ctx.params.askId!)
      ctx.body = { askId, state, claimedBy }
    })
    .post(`${ask}/release`, async (ctx) => {
      const { _id: askId, state, claimedBy } = await asks.release(ctx.state.caller, ctx.params.askId!)
      ctx.body = { askId, state, claimedBy }
    })
    .post(`${ask}/resolve`, async (ctx) => {
      const answer = await readFields(ctx, { resolution: optional(text), chosenOption: optional(text) })
      const resolved = await asks.resolve(ctx.state.caller, ctx.params.askId!, answer)
      const { _id: askId, state, chosenOption, resolution } = resolved
      ctx.body = { askId, state, chosenOption, resolution }
    })
    .post(`${ask}/cancel`, async (ctx) => {
      const { _id: askId, state } = await asks.cancel(ctx.state.caller, ctx.params.askId!)
      ctx.body = { askId, state }
    })
    .put(`${ask}/assignees`, async (ctx) => {
      const { assignees: who } = await readFields(ctx, { assignees: texts })
      const { _id: askId, state, assignees } = await asks.assign(ctx.state.caller, ctx.params.askId!, who)
      ctx.body = { askId, state, assignees }
    })

/** @throws WorkspaceError `bad_request` for what is no state, naming the four */
function stateOf(ctx: Context) {
  const state = queryText(ctx, 'state')
  if (state === undefined) return undefined
  const found = askStates.find((name) => name === state)
  if (found) return found
  throw new WorkspaceError('bad_request', `?state= must be one of ${askStates.join(', ')}.`)
}
