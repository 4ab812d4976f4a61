import type { AskRow, AsksTable } from '../../data/tables/asks.ts'
import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { MemberStore } from '../members/member-store.ts'
import { asksPagePath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { type AskDetails, askDetails } from './ask-details.ts'
import { type AsksPageData, asksPage } from './asks-page.ts'

interface AskPagesDeps {
  asks: AsksTable
  members: MemberStore
  projects: ProjectStore
  /** The base address with a path behind it. */
  pageUrl: (path: string) => string
}

/** A page that is made for its reader, and the page where a person reads the same. */
export interface GeneratedPage {
  text: string
  url: string
}

/** Open work, as the orientation lists it. */
export interface ClaimableAsk extends AskDetails {
  /** Slug. */
  project: string
  isForCaller: boolean
}

/** The most asks in one state that a page shows. */
const maxAsks = 100

/** The asks as pages show them. */
export class AskPages {
  private readonly deps: AskPagesDeps

  constructor(deps: AskPagesDeps) {
    this.deps = deps
  }

  /** `asks.md`. @throws WorkspaceError `forbidden` or `not_found` for the project */
  page(caller: Caller, slug: string): GeneratedPage {
    const { url, ...facts } = this.details(caller, slug)
    return { text: asksPage({ ...facts, address: this.deps.pageUrl }), url }
  }

  /** What `asks.md` shows, for those who show it in another way. @throws WorkspaceError as `page` */
  details(caller: Caller, slug: string): Omit<AsksPageData, 'address'> & Pick<GeneratedPage, 'url'> {
    requireScope(caller, 'asks:read')
    const { asks, pageUrl, projects } = this.deps
    const project = projects.require(caller.member, slug)
    return {
      projectName: project.name,
      open: this.withState(project, 'open'),
      claimed: this.withState(project, 'claimed'),
      openCount: asks.count(project.id, 'open'),
      claimedCount: asks.count(project.id, 'claimed'),
      url: pageUrl(asksPagePath(project)),
    }
  }

  /** Open work of the projects that the caller is in: what is theirs first, then what is nobody's. */
  claimable({ member }: Caller, limit: number): ClaimableAsk[] {
    const { asks, members, projects } = this.deps
    const writable = projects.readableBy(member).filter(({ archivedMs }) => archivedMs === null)
    const slugs = new Map(writable.map(({ id, slug }) => [id, slug]))
    return asks.claimable([...slugs.keys()], member.id, limit).map((row) => ({
      ...askDetails(row, members),
      project: slugs.get(row.projectId)!,
      isForCaller: row.assignees.includes(member.id),
    }))
  }

  /** The newest asks of a project that are in a state, newest first. */
  withState(project: Project, state: AskRow['state']): AskDetails[] {
    const filter = { state, before: Number.MAX_SAFE_INTEGER, limit: maxAsks }
    return this.deps.asks.inProject(project.id, filter).map((row) => askDetails(row, this.deps.members))
  }

  /** Those that were resolved last, the last of them first. */
  recentlyResolved(project: Project): AskDetails[] {
    return this.deps.asks.lastResolved(project.id, maxAsks).map((row) => askDetails(row, this.deps.members))
  }
}
