import type { Address } from '../../core/documents/index.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type RouteRefusal, type Routes } from '../context.ts'
import { backlinkList, linkList } from '../schemas/document-links.ts'
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
