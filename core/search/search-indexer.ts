import type { Database } from '../../data/database.ts'
import { Signal } from '../../data/signal.ts'
import type { LinkRow, LinksTable } from '../../data/tables/links.ts'
import type { SearchTable } from '../../data/tables/search.ts'
import type { Change } from '../documents/model/change.ts'
import { type LinkSource, linkKey } from '../links/link-keys.ts'
import { parseReference } from '../links/reference.ts'
import type { Analysis } from '../markdown/index.ts'
import type { ProjectStore } from '../projects/project-store.ts'

interface IndexingDeps {
  database: Database
  links: LinksTable
  search: SearchTable
  projects: ProjectStore
}

/** What was learnt from a document's bytes for those who look for it. */
type IndexedContent = Pick<Analysis, 'revision' | 'references' | 'searchText'>

/** Keeps what is found of documents, their links and their words, in step with them. To be called inside a commit. */
export class SearchIndexer {
  private readonly deps: IndexingDeps
  private readonly gaps = new Signal()

  constructor(deps: IndexingDeps) {
    this.deps = deps
  }

  /** Calls `listener` when a document was left without what is found of it. */
  onGap(listener: () => void): void {
    this.gaps.listen(listener)
  }

  /** Follows a change. What a deleted document said stays with it, and is shown to nobody. */
  update({ before, after, content }: Pick<Change, 'before' | 'after' | 'content'>): void {
    if (content) {
      this.put(after, content)
      return
    }
    if (before && (before.path !== after.path || before.projectId !== after.projectId)) this.moveLinks(after)
    if (before && before.title !== after.title) {
      const { database, search } = this.deps
      database.atEnd(() => search.retitle(after.id, after.title))
    }
  }

  /** Writes what a document says in the place of what it said. */
  put(
    document: LinkSource & { id: string; title: string },
    { revision, references, searchText }: IndexedContent,
  ): void {
    const { database, links, search } = this.deps
    const { id, title } = document
    links.replace(
      id,
      references.flatMap(({ token, context }) => this.rowOf(token, context, document) ?? []),
    )
    database.atEnd(() => search.putDocument(id, revision, { title, body: searchText }))
  }

  /** Forgets what a document says: it is gone for good. */
  remove(id: string): void {
    this.deps.links.removeAll(id)
    this.deps.search.remove(id)
  }

  /** Takes back what a change wrote, outside of its transaction. What the document says again is learnt anew. */
  rollBack(id: string): void {
    this.remove(id)
    this.gaps.emit()
  }

  /** A path leads elsewhere when the file that holds it has moved. */
  private moveLinks(document: LinkSource & { id: string }): void {
    const { links } = this.deps
    const rows = links.of(document.id)
    if (!rows.some(({ kind }) => kind === 'path')) return
    links.replace(
      document.id,
      rows.flatMap(({ token, context }) => this.rowOf(token, context, document) ?? []),
    )
  }

  private rowOf(token: string, context: string, source: LinkSource): LinkRow | null {
    const reference = parseReference(token)
    if (!reference) return null
    return { kind: reference.kind, key: linkKey(reference, source, this.deps.projects), token, context }
  }
}
