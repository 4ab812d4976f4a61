import type { Database } from '../../data/database.ts'
import { Signal } from '../../data/signal.ts'
import type { DocumentTitlesTable } from '../../data/tables/document-titles.ts'
import type { LinkRow, LinksTable } from '../../data/tables/links.ts'
import type { SearchTable } from '../../data/tables/search.ts'
import type { Change } from '../documents/model/change.ts'
import { type LinkSource, linkKey } from '../links/link-keys.ts'
import { parseReference } from '../links/reference.ts'
import type { Analysis } from '../markdown/index.ts'
import type { ProjectStore } from '../projects/project-store.ts'

interface IndexingDeps {
  database: Database
  documentTitles: DocumentTitlesTable
  links: LinksTable
  search: SearchTable
  projects: ProjectStore
}

type IndexedContent = Pick<Analysis, 'revision' | 'references' | 'searchText' | 'packedText'>

/** Keeps links and the search index in step with documents. Must be called inside a commit. */
export class SearchIndexer {
  private readonly gaps = new Signal()

  constructor(private readonly deps: IndexingDeps) {}

  onGap(listener: () => void): void {
    this.gaps.listen(listener)
  }

  /** Keeps the entry of a deleted document, which is shown to no reader. */
  update({ before, after, content }: Pick<Change, 'before' | 'after' | 'content'>): void {
    if (content) {
      this.putText(after, content)
      if (before?.title !== after.title) this.putTitle(after)
      return
    }
    if (before && (before.path !== after.path || before.projectId !== after.projectId)) this.moveLinks(after)
    if (before && before.title !== after.title) {
      const { database, search } = this.deps
      database.atEnd(() => search.retitle(after.id, after.title))
      this.putTitle(after)
    }
  }

  put(document: LinkSource & { id: string; title: string }, content: IndexedContent): void {
    this.putText(document, content)
    this.putTitle(document)
  }

  private putTitle({ id, title }: { id: string; title: string }): void {
    const { database, documentTitles } = this.deps
    database.atEnd(() => documentTitles.put(id, title))
  }

  private putText(
    document: LinkSource & { id: string; title: string },
    { revision, references, searchText, packedText }: IndexedContent,
  ): void {
    const { database, links, search } = this.deps
    const { id, title } = document
    links.replace(
      id,
      references.flatMap(({ token }, place) => this.rowOf(token, place, document) ?? []),
    )
    database.atEnd(() => search.putDocument(id, revision, { title, body: searchText }, packedText))
  }

  remove(id: string): void {
    const { documentTitles, links, search } = this.deps
    links.removeAll(id)
    documentTitles.remove(id)
    search.remove(id)
  }

  /** Undoes a change after its transaction; the document is then indexed again. */
  rollBack(id: string): void {
    this.remove(id)
    this.gaps.emit()
  }

  /** Moving a file changes how its links by path resolve. */
  private moveLinks(document: LinkSource & { id: string }): void {
    const { links } = this.deps
    const rows = links.of(document.id)
    if (!rows.some(({ kind }) => kind === 'path')) return
    links.replace(
      document.id,
      rows.flatMap(({ token, place }) => this.rowOf(token, place, document) ?? []),
    )
  }

  private rowOf(token: string, place: number, source: LinkSource): LinkRow | null {
    const reference = parseReference(token)
    if (!reference) return null
    return { kind: reference.kind, place, key: linkKey(reference, source, this.deps.projects), token }
  }
}
