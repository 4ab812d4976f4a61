import { setImmediate } from 'node:timers/promises'
import type { SearchTable } from '../../data/tables/search.ts'
import { analyseDiskFile } from '../documents/content/analysis.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { Analysis } from '../markdown/index.ts'
import type { SearchIndexer } from './search-indexer.ts'

export interface ReindexerDeps extends SharedDeps {
  search: SearchTable
  indexing: SearchIndexer
}

const batchSize = 1000

const concurrency = 8

/** Indexes documents with outdated entries, as after an update, at lower priority than requests. */
export class Reindexer {
  private readonly deps: ReindexerDeps
  private running: Promise<void> | null = null
  private isRequested = false
  private isStopped = false

  constructor(deps: ReindexerDeps) {
    this.deps = deps
    deps.indexing.onGap(() => this.start())
  }

  start(): void {
    this.isRequested = true
    this.running ??= this.runWhileRequested().finally(() => {
      this.running = null
    })
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await this.running
  }

  private async runWhileRequested(): Promise<void> {
    try {
      while (this.isRequested && !this.isStopped) {
        this.isRequested = false
        await this.reindexAll()
      }
    } catch (error) {
      if (!this.isStopped)
        this.deps.onProblem('Some documents cannot be searched until the next start', error)
    }
  }

  private async reindexAll(): Promise<void> {
    let after = ''
    do {
      // A turn later, because a gap is signalled inside the transaction that causes it.
      await setImmediate()
      const { last, ids } = this.deps.search.outdatedDocuments(after, batchSize)
      while (ids.length > 0 && !this.isStopped) await this.reindex(ids.splice(0, concurrency))
      after = last
    } while (after !== '' && !this.isStopped)
  }

  private async reindex(ids: string[]): Promise<void> {
    const { database, documents, indexing } = this.deps
    const analyses = await Promise.all(ids.map((id) => this.analyse(id)))
    await database.commit(() => {
      for (const [index, analysis] of analyses.entries()) {
        const record = documents.find(ids[index]!)
        const isNewest = record !== undefined && record.revision === analysis?.revision
        if (isNewest) indexing.put(record, analysis)
      }
    })
  }

  private async analyse(id: string): Promise<Analysis | null> {
    const { contents, documents } = this.deps
    const record = documents.find(id)
    const content = record && contents.find(id, record.revision)
    return content ? analyseDiskFile(this.deps, content.stored, null, null, 'background') : null
  }
}
