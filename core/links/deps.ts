import type { LinkContexts } from '../../data/tables/link-contexts.ts'
import type { LinksTable } from '../../data/tables/links.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { LinkedPulls } from './linked-pulls.ts'

export interface LinksDeps extends SharedDeps {
  links: LinksTable
  linkContexts: LinkContexts
  /** For `[[pr:7]]`; absent without a repository service. */
  pulls?: LinkedPulls
}
