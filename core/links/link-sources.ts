import { TimeSlice } from '../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { LinkKey } from '../../data/tables/links.ts'
import type { Caller } from '../access/member.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import { mostRecentlyEdited } from '../documents/sorting/list-order.ts'
import { TopItems } from '../documents/sorting/top-items.ts'
import type { LinksDeps } from './deps.ts'
import { keysFor } from './link-keys.ts'

const portion = 500

const maxSources = 1000

/** Which documents link to one, of which there may be as many as a workspace has. */
export class LinkSources {
  constructor(private readonly deps: Pick<LinksDeps, 'catalogue' | 'links' | 'projects'>) {}

  /** Those that the caller may read, the most recently edited first; at most 1,000. Reads long lists in time slices. */
  async leadingTo(
    caller: Caller,
    target: DocumentRecord,
    keys: readonly LinkKey[],
  ): Promise<DocumentRecord[]> {
    const { catalogue, links, projects } = this.deps
    const newest = new TopItems(maxSources, mostRecentlyEdited.compare)
    const slice = new TimeSlice()
    for (const key of keys) {
      let ids: string[] = []
      do {
        while (ids.length > 0 && slice.isOver) await slice.pause()
        ids = links.sources(key, ids.at(-1) ?? '', portion)
        for (const id of ids) {
          const record = catalogue.find(id)
          if (!record || record.id === target.id || !mayRead(caller, record, projects)) continue
          if (keysFor(record, target, [key]).length > 0) newest.add(record)
        }
      } while (ids.length === portion)
    }
    return newest.sorted()
  }
}
