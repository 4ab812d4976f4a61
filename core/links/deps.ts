import type { LinksTable } from '../../data/tables/links.ts'
import type { EntryTexts } from '../../data/tables/search.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { LinkedPulls } from './linked-pulls.ts'

export interface LinksDeps extends SharedDeps {
  links: LinksTable
  entryTexts: EntryTexts
  /** For `[[pr:7]]`; absent without a repository service. */
  pulls?: LinkedPulls
}
