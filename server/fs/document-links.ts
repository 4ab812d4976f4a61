import { z } from 'zod'
import type { Address } from '../../core/documents/index.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteRefusal, type Routes } from '../context.ts'
import { backlinkList, linkList, refList } from '../schemas/document-links.ts'
import { fileRefusals, type Noun } from './document-routes.ts'

interface LinkRoutesOptions {
  noun: Noun
  /** Such as `/projects/:project/posts/:name`. */
  path: string
  addressOf: (params: Record<string, string>) => Address
  refuses?: readonly RouteRefusal[]
  links: Workspace['links']['documents']
}

export const linkRoutes = ({
  noun,
  path,
  addressOf,
  refuses = fileRefusals,
  links,
}: LinkRoutesOptions): Routes =>
  newRoutes()
    .purpose(`List what a ${noun} links to, dead links included`)
    .answers(linkList)
    .refuses(...refuses)
    .get(`${path}/_links`, async (ctx) => {
      ctx.body = await links.linksIn(ctx.state.caller, addressOf(ctx.params))
    })
    .purpose(`List what links to a ${noun}`)
    .answers(backlinkList)
    .refuses(...refuses)
    .get(`${path}/_backlinks`, async (ctx) => {
      ctx.body = await links.backlinks(ctx.state.caller, addressOf(ctx.params))
    })

const findRefs = accepts({
  query: { q: z.string().describe('Words of a title, or a part of a name').default('') },
})

export const refRoutes = (refs: Workspace['links']['refs']): Routes =>
  newRoutes()
    .purpose('Find the token that links to something; ?q=')
    .answers(refList)
    .refuses('forbidden', 'not_found')
    .get('/projects/:project/refs', findRefs, async (ctx) => {
      ctx.body = await refs.find(ctx.state.caller, ctx.params.project!, findRefs.query(ctx).q)
    })
