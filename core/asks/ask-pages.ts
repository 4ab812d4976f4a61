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
  pageUrl: (path: string) => string
}

/** `url` is the same page in the browser. */
export interface GeneratedPage {
  text: string
  url: string
}

export interface ClaimableAsk extends AskDetails {
  project: string
  isForCaller: boolean
}

const maxAsks = 100

export class AskPages {
  constructor(private readonly deps: AskPagesDeps) {}

  page(caller: Caller, slug: string): GeneratedPage {
    const { url, ...details } = this.details(caller, slug)
    return { text: asksPage({ ...details, pageUrl: this.deps.pageUrl }), url }
  }

  details(caller: Caller, slug: string): Omit<AsksPageData, 'pageUrl'> & Pick<GeneratedPage, 'url'> {
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

  /** Newest first. Checks no caller. */
  withState(project: Project, state: AskRow['state']): AskDetails[] {
    const filter = { state, before: Number.MAX_SAFE_INTEGER, limit: maxAsks }
    return this.deps.asks.inProject(project.id, filter).map((row) => askDetails(row, this.deps.members))
  }

  /** The last resolved first. Checks no caller. */
  recentlyResolved(project: Project): AskDetails[] {
    return this.deps.asks.lastResolved(project.id, maxAsks).map((row) => askDetails(row, this.deps.members))
  }
}
