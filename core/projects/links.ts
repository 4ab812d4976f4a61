import type { Database } from '../../data/database.ts'
import type { ProjectLinksTable } from '../../data/tables/project-links.ts'
import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { linksPagePath, linksTreePath } from '../paths.ts'
import { type Precondition, requirePrecondition } from '../revisions/preconditions.ts'
import type { Reading } from '../revisions/reading.ts'
import { revisionOf } from '../revisions/revision.ts'
import { requireWritable } from './archiving.ts'
import { linksPage, parseLinksPage } from './links-page.ts'
import type { ProjectStore } from './project-store.ts'

interface ProjectLinksDeps {
  database: Database
  projectLinks: ProjectLinksTable
  projects: ProjectStore
  pageUrl: (path: string) => string
}

interface LinksWriteResult {
  filename: string
  path: string
  url: string
  changed: boolean
  revision: string
}

/** A project's `links.md`. Every call throws WorkspaceError `not_found` or `forbidden`. */
export class ProjectLinks {
  constructor(private readonly deps: ProjectLinksDeps) {}

  read(caller: Caller, slug: string): Reading {
    requireScope(caller, 'projects:read')
    const project = this.deps.projects.require(caller.member, slug)
    const body = this.body(project)
    return { body, revision: revisionOf(body), url: this.urlOf(project), isEnvelopeAsWritten: true }
  }

  /** @throws WorkspaceError `invalid`, naming what is no link; `conflict` if the links have changed */
  async replace(
    caller: Caller,
    slug: string,
    page: Uint8Array,
    precondition: Precondition,
  ): Promise<LinksWriteResult> {
    requireScope(caller, 'documents:write')
    const { database, projectLinks, projects } = this.deps
    const project = projects.require(caller.member, slug)
    requireWritable(project)
    const links = parseLinksPage(Buffer.from(page).toString())
    const revision = revisionOf(Buffer.from(linksPage(links)))
    const changed = await commitOrUnavailable(database, () => {
      const currentRevision = revisionOf(this.body(project))
      requirePrecondition(precondition, { revision: currentRevision }, 'page')
      if (currentRevision !== revision) projectLinks.replace(project.id, links)
      return currentRevision !== revision
    })
    return {
      filename: 'links.md',
      path: linksTreePath(project),
      url: this.urlOf(project),
      changed,
      revision,
    }
  }

  private body(project: Project): Buffer {
    return Buffer.from(linksPage(this.deps.projectLinks.of(project.id)))
  }

  private urlOf(project: Project): string {
    return this.deps.pageUrl(linksPagePath(project))
  }
}
