import { setImmediate } from 'node:timers/promises'
import type { SearchTable } from '../../data/tables/search.ts'
import { analyseDiskFile } from '../documents/content/analysis.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { Analysis } from '../markdown/index.ts'
import type { SearchIndexer } from './search-indexer.ts'

export interface UpkeepDeps extends SharedDeps {
  search: SearchTable
  indexing: SearchIndexer
}

/** How many documents are looked at in one go. */
const portion = 1000

/** How many are learnt anew side by side, and kept in one commit. */
const concurrency = 8

/**
 * Learns anew what documents say whose links and words are not those of their newest revision: after an update that
 * brought the search, and where a write was taken back. In the background, behind everybody who waits for an answer.
 */
export class Reindexer {
  private readonly deps: UpkeepDeps
  private running: Promise<void> | null = null
  private isWanted = false
  private isStopped = false

  constructor(deps: UpkeepDeps) {
    this.deps = deps
    deps.indexing.onGap(() => this.start())
  }

  /** Looks for such documents, now or when the look that is under way has ended. */
  start(): void {
    this.isWanted = true
    this.running ??= this.runWhileWanted().finally(() => {
      this.running = null
    })
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await this.running
  }

  private async runWhileWanted(): Promise<void> {
    try {
      while (this.isWanted && !this.isStopped) {
        this.isWanted = false
        await this.reindexAll()
      }
    } catch (error) {
      if (!this.isStopped)
        this.deps.onProblem('Some documents cannot be searched before the next start', error)
    }
  }

  private async reindexAll(): Promise<void> {
    let after = ''
    do {
      // A turn later: a gap is told of inside of the transaction that leaves it.
      await setImmediate()
      const { last, ids } = this.deps.search.documentsBehind(after, portion)
      while (ids.length > 0 && !this.isStopped) await this.reindex(ids.splice(0, concurrency))
      after = last
    } while (after !== '' && !this.isStopped)
  }

  private async reindex(ids: string[]): Promise<void> {
    const { database, documents, indexing } = this.deps
    const learnt = await Promise.all(ids.map((id) => this.analyse(id)))
    await database.commit(() => {
      for (const [index, said] of learnt.entries()) {
        const record = documents.find(ids[index]!)
        const isNewest = record !== undefined && record.revision === said?.revision
        if (isNewest) indexing.put(record, said)
      }
    })
  }

  /** What the newest revision of a document says; null where it has none any more. */
  private async analyse(id: string): Promise<Analysis | null> {
    const { contents, documents } = this.deps
    const record = documents.find(id)
    const content = record && contents.find(id, record.revision)
    return content ? analyseDiskFile(this.deps, content.stored, null, null, 'background') : null
  }
}
