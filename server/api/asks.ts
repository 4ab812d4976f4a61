import type { Asks } from '../../core/asks/asks.ts'
import { askKinds, askStates } from '../../core/asks/types.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { ProjectStore } from '../../core/projects/project-store.ts'
import { accepts } from '../accepted-input.ts'
import { type Context, newRoutes, type Routes } from '../context.ts'
import { projectFields, requireProjectField } from '../project-fields.ts'
import { oneOf, optional, queryText, readFields, text, texts, withAliases } from '../request-fields.ts'
import { normalizeClientName } from './client-name.ts'
import { pageLimit } from './messages.ts'

const ask = '/api/asks/:askId'

const newAsk = {
  ...projectFields,
  title: text,
  body: optional(text),
  kind: optional(oneOf(askKinds)),
  options: optional(texts),
  assignees: optional(texts),
  roomId: optional(text),
}

export const askRoutes = (asks: Asks, projects: Pick<ProjectStore, 'find'>): Routes =>
  newRoutes()
    .purpose('List the asks that you can see, newest first')
    .get('/api/asks', accepts({ query: ['project', 'state', 'limit', 'cursor'] }), (ctx) => {
      const project = queryText(ctx, 'project')
      const state = stateOf(ctx)
      const cursor = queryText(ctx, 'cursor')
      ctx.body = asks.list(ctx.state.caller, {
        limit: pageLimit(ctx),
        ...(project !== undefined && { project }),
        ...(state !== undefined && { state }),
        ...(cursor && { cursor }),
      })
    })
    .purpose('Create an ask: work to be claimed, or a question with two to four options')
    .post('/api/asks', accepts({ body: 'json' }), async (ctx) => {
      const { project, projectId, ...fields } = await readFields(ctx, newAsk)
      const sentVia = normalizeClientName(ctx.req.headers['x-service-client'])
      const idempotencyKey = ctx.req.headers['idempotency-key']
      const created = await asks.create(ctx.state.caller, {
        ...fields,
        project: requireProjectField({ project, projectId }, projects),
        ...(sentVia !== undefined && { sentVia }),
        ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      })
      ctx.status = 201
      ctx.body = created
    })
    .purpose('Read an ask')
    .get(ask, (ctx) => {
      ctx.body = { ask: asks.get(ctx.state.caller, ctx.params.askId!) }
    })
    .purpose('Claim work; safe to repeat')
    .post(`${ask}/claim`, async (ctx) => {
      const { _id: askId, state, claimedBy } = await asks.claim(ctx.state.caller, ctx.params.askId!)
      ctx.body = { askId, state, claimedBy }
    })
    .purpose('Release claimed work')
    .post(`${ask}/release`, async (ctx) => {
      const { _id: askId, state, claimedBy } = await asks.release(ctx.state.caller, ctx.params.askId!)
      ctx.body = { askId, state, claimedBy }
    })
    .purpose('Resolve work, or answer a question')
    .post(`${ask}/resolve`, accepts({ body: 'json' }), async (ctx) => {
      const answer = await readFields(ctx, {
        resolution: withAliases(optional(text), 'result', 'answer', 'body', 'text'),
        chosenOption: withAliases(optional(text), 'option', 'choice'),
      })
      const resolved = await asks.resolve(ctx.state.caller, ctx.params.askId!, answer)
      const { _id: askId, state, chosenOption, resolution } = resolved
      ctx.body = { askId, state, chosenOption, resolution }
    })
    .purpose('Cancel an ask')
    .post(`${ask}/cancel`, async (ctx) => {
      const { _id: askId, state } = await asks.cancel(ctx.state.caller, ctx.params.askId!)
      ctx.body = { askId, state }
    })
    .purpose('Set whom an ask is meant for')
    .put(`${ask}/assignees`, accepts({ body: 'json' }), async (ctx) => {
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
