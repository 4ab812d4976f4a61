import type { LinksTable } from '../../data/tables/links.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { LinkedPulls } from './linked-pulls.ts'

/** What links are found and followed with. */
export interface LinksDeps extends SharedDeps {
  links: LinksTable
  /** The pull requests that `[[pr:7]]` means; left out where there are none. */
  pulls?: LinkedPulls
}
