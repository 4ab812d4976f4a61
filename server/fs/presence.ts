import type { Address, Documents } from '../../core/documents/index.ts'
import { accepts, invalidInput } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { boolean, nullable, optional, queryText, readFields, text } from '../request-fields.ts'
import type { Noun } from './document-routes.ts'

interface PresenceRoutesOptions {
  noun: Noun
  /** Where the files stand, such as `/projects/:project/posts/:name`. */
  path: string
  addressOf: (params: Record<string, string>) => Address
  presence: Documents['presence']
}

/**
 * `_presence`: says that the caller is in a file, or with `?leave`, `{"leave": true}`, `{"present": false}` or a DELETE that
 * they are not. What the query says counts before what the body says.
 */
export const presenceRoutes = ({ noun, path, addressOf, presence }: PresenceRoutesOptions): Routes =>
  newRoutes()
    .purpose(noun === 'document' ? 'Say that you are in a document; ?leave takes you out' : refused(noun))
    .post(`${path}/_presence`, accepts({ query: ['kind', 'block', 'leave'], body: 'json' }), async (ctx) => {
      const { caller } = ctx.state
      const address = addressOf(ctx.params)
      const { leave, present, ...fields } = await readFields(ctx, {
        kind: optional(text),
        block: optional(nullable(text)),
        leave: optional(boolean),
        present: optional(boolean),
      })
      if (leave !== undefined && leave === present) {
        throw invalidInput(`{"leave": ${leave}, "present": ${present}} contradicts itself. Send one of them.`)
      }
      if (isLeaving(ctx) ?? leave ?? present === false) {
        ctx.body = await presence.leave(caller, address)
        return
      }
      const kind = queryText(ctx, 'kind') ?? fields.kind
      const block = queryText(ctx, 'block') ?? fields.block ?? undefined
      ctx.body = await presence.beat(caller, address, {
        ...(kind !== undefined && { kind }),
        ...(block !== undefined && { block }),
      })
    })
    .purpose(noun === 'document' ? 'Say that you have left a document' : refused(noun))
    .delete(`${path}/_presence`, async (ctx) => {
      ctx.body = await presence.leave(ctx.state.caller, addressOf(ctx.params))
    })

const refused = (noun: Noun) => `Refused: nobody is shown in a ${noun}`

/** What `?leave` says, with or without a value; undefined where it is left out. */
function isLeaving(ctx: RouteContext): boolean | undefined {
  const leave = queryText(ctx, 'leave')
  if (leave === undefined) return undefined
  if (['', '1', 'true'].includes(leave)) return true
  if (['0', 'false'].includes(leave)) return false
  throw invalidInput('?leave takes no value, or true or false.')
}
