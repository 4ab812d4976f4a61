import type { Address } from '../../core/documents/index.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type RouteRefusal, type Routes } from '../context.ts'
import { backlinkList, linkList } from '../schemas/document-links.ts'
import { fileRefusals, type Noun } from './document-routes.ts'

interface LinkRoutesOptions {
  noun: Noun
  /** The path of the files, such as `/projects/:project/posts/:name`. */
  path: string
  addressOf: (params: Record<string, string>) => Address
  /** Default: `fileRefusals`. */
  refuses?: readonly RouteRefusal[]
  links: Workspace['links']['documents']
}

/** `_links` and `_backlinks`: what a file links to, and what links to it. */
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
