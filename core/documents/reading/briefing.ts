import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Caller } from '../../access/member.ts'
import { requireScope } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import { projectPagePath, projectTreePath } from '../../paths.ts'
import type { Reading } from '../../revisions/reading.ts'
import { revisionOf } from '../../revisions/revision.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { pathInHome, readmePath } from '../model/document-paths.ts'
import type { Reads } from './reads.ts'

/** A project's home page, followed by a list of its folders: a starting point for agents. */
export class Briefing {
  private readonly shared: DocumentsDeps
  private readonly disk: DiskSync
  private readonly reads: Reads

  constructor(shared: DocumentsDeps, deps: { disk: DiskSync; reads: Reads }) {
    this.shared = shared
    this.disk = deps.disk
    this.reads = deps.reads
  }

  /** @throws WorkspaceError `forbidden`, `not_found`, `unavailable` */
  async homePage(caller: Caller, slug: string): Promise<{ project: Project; home: DocumentRecord | null }> {
    requireScope(caller, 'projects:read')
    const { catalogue, projects } = this.shared
    const project = projects.require(caller.member, slug)
    this.disk.requireUsable(project)
    await this.disk.checkPath(pathInHome(project, readmePath))
    const home = catalogue.ofKind(project.id, 'home')[0]
    return { project, home: home && !this.disk.isMissing(home) ? home : null }
  }

  /** @throws WorkspaceError as `homePage` */
  async read(caller: Caller, slug: string): Promise<Reading> {
    const { project, home } = await this.homePage(caller, slug)
    const { pageUrl } = this.shared
    const reading = home && this.reads.render(home, project)
    const body = Buffer.concat([
      reading?.body ?? Buffer.from(`# ${project.name}\n`),
      Buffer.from(`\n## In this project\n\n${(await this.folders(caller, project)).join('\n')}\n`),
    ])
    return {
      body,
      revision: revisionOf(body),
      url: pageUrl(projectPagePath(project)),
      isEnvelopeAsWritten: true,
    }
  }

  private async folders({ member }: Caller, project: Project): Promise<string[]> {
    const { counts } = this.shared
    const { id } = project
    const line = (path: string, description: string) =>
      `- \`${projectTreePath(project, path)}\`: ${description}`
    const linked = counts.repositories(id)
    return [
      line('posts', `published posts (${await this.disk.countListed(id, 'post')})`),
      line('drafts', `your drafts (${(await this.disk.listed(id, 'draft', member.id)).length})`),
      line('library', 'the library: documents, files, repositories'),
      line('library/documents', `documents (${await this.disk.countListed(id, 'document')})`),
      line('library/files', 'uploaded files'),
      ...(linked > 0
        ? [
            line('library/repositories', `linked code repositories (${linked})`),
            line('pulls', `pull requests (${counts.pulls(id)})`),
          ]
        : []),
      line('board', `cards (${await this.disk.countListed(id, 'card')})`),
      line('skills', 'published skills'),
      line('plan.md', 'the goal, and the state of the project'),
      line('map.md', 'the questions, by what blocks what'),
      line('asks.md', 'open asks'),
      line('links.md', 'links to other pages'),
      line('trash', 'what was deleted and can be restored'),
    ]
  }
}
