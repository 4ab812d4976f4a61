import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Caller } from '../access/member.ts'
import { hasScope } from '../access/permissions.ts'
import { baseKinds } from '../documents/model/document-kinds.ts'
import { pagePath, treePath } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import type { DocumentKind } from '../documents/model/types.ts'
import type { LinksDeps } from './deps.ts'
import { cardNumberIn, type LinkSource, targetPath } from './link-keys.ts'
import type { Reference } from './reference.ts'
import type { LinkTarget } from './types.ts'

type ResolvingDeps = Pick<LinksDeps, 'catalogue' | 'pageUrl' | 'projects' | 'pulls'>

const titledKinds: readonly DocumentKind[] = ['document', 'post', 'card']

export class LinkResolver {
  constructor(private readonly deps: ResolvingDeps) {}

  /** Returns null also if the caller may not read the document. */
  document(caller: Caller, reference: Reference, source: LinkSource): DocumentRecord | null {
    const record = this.resolveReference(reference, source)
    return record && mayRead(caller, record, this.deps.projects) ? record : null
  }

  /** A project's members may read its repository. */
  pull(caller: Caller, { kind, target }: Reference, source: LinkSource): LinkTarget | null {
    if (kind !== 'pull' || !hasScope(caller, 'projects:read')) return null
    const pull = this.deps.pulls?.find(source.projectId, Number(target))
    if (!pull) return null
    const { title, path, url } = pull
    return { type: 'pull', id: target, title, path, url }
  }

  targetOf(record: DocumentRecord): LinkTarget {
    const { pageUrl, projects } = this.deps
    const project = projects.find(record.projectId)!
    return {
      type: baseKinds[record.kind],
      id: record.id,
      title: record.title,
      path: treePath(project, record),
      url: pageUrl(pagePath(project, record)),
    }
  }

  /** Prefers documents to posts to cards, and newer ones. Then tries file names without `.md`. */
  byTitle(projectId: string, title: string): DocumentRecord | null {
    const { catalogue } = this.deps
    for (const kind of titledKinds) {
      const record = catalogue.withTitle(projectId, kind, title)
      if (record) return record
    }
    return catalogue.atSimilarPath(projectId, `documents/${title}.md`)[0] ?? null
  }

  private resolveReference({ kind, target }: Reference, source: LinkSource): DocumentRecord | null {
    const { catalogue } = this.deps
    switch (kind) {
      case 'card':
        return this.card(source.projectId, target)
      case 'id':
        return catalogue.find(target)
      case 'title':
        return this.byTitle(source.projectId, target)
      case 'path':
        return this.at(target, source)
      case 'pull':
        return null
    }
  }

  private at(target: string, source: LinkSource): DocumentRecord | null {
    const location = targetPath(target, source, this.deps.projects)
    if (!location) return null
    const number = cardNumberIn(location.path)
    if (number !== null) return this.card(location.projectId, number)
    return this.deps.catalogue.atSimilarPath(location.projectId, location.path)[0] ?? null
  }

  private card(projectId: string, number: string): DocumentRecord | null {
    const record = this.deps.catalogue.cardWithNumber(projectId, Number(number))
    return record?.kind === 'card' ? record : null
  }
}
