import type { Address, Documents } from '../../core/documents/types.ts'
import { newRoutes, type Routes } from '../context.ts'
import { optional, orNull, queryText, readFields, text } from '../request-fields.ts'

export interface PresenceRoutesOptions {
  /** Where the files stand, such as `/projects/:project/posts/:name`. */
  path: string
  /** Whom a request's path means; names in it are decoded. */
  addressOf: (params: Record<string, string>) => Address
  documents: Documents
}

/**
 * `_presence`: says that the caller is in a file, or with `?leave` that they are not. What the query says counts
 * before what the body says.
 */
export const presenceRoutes = ({ path, addressOf, documents }: PresenceRoutesOptions): Routes =>
  newRoutes().post(`${path}/_presence`, async (ctx) => {
    const { caller } = ctx.state
    const address = addressOf(ctx.params)
    if (ctx.query.leave !== undefined) {
      ctx.body = await documents.leave(caller, address)
      return
    }
    const fields = await readFields(
      ctx,
      { kind: optional(text), block: optional(orNull(text)) },
      'unprocessable',
    )
    const kind = queryText(ctx, 'kind') ?? fields.kind
    const block = queryText(ctx, 'block') ?? fields.block ?? undefined
    ctx.body = await documents.beat(caller, address, {
      ...(kind !== undefined && { kind }),
      ...(block !== undefined && { block }),
    })
  })
