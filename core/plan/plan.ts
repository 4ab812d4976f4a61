import type { Database } from '../../data/database.ts'
import type { ProjectGoalsTable } from '../../data/tables/project-goals.ts'
import type { Caller } from '../access/member.ts'
import { hasScope, requireScope } from '../access/permissions.ts'
import type { AskPages, GeneratedPage } from '../asks/ask-pages.ts'
import type { DocumentLists } from '../documents/reading/lists.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MarkdownService } from '../markdown/index.ts'
import { mapPagePath, planPagePath, planTreePath } from '../paths.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { type Precondition, requirePrecondition } from '../revisions/preconditions.ts'
import { revisionOf } from '../revisions/revision.ts'
import type { Clock } from '../time/clock.ts'
import { parseGoal } from './goal-text.ts'
import { mapMarkdown } from './map-page.ts'
import { type PlanData, planData } from './plan-data.ts'
import { planMarkdown } from './plan-page.ts'
import { type QuestionMap, questionMap } from './question-map.ts'

interface PlanDeps {
  database: Database
  clock: Clock
  goals: ProjectGoalsTable
  projects: ProjectStore
  lists: Pick<DocumentLists, 'plannedCards'>
  askPages: AskPages
  markdown: Pick<MarkdownService, 'diagram'>
  /** Absolute address of a page, from its path. */
  pageUrl: (path: string) => string
}

/** The plan, and the state of the goal in it: what of the page can be written. */
interface PlanPage extends GeneratedPage {
  revision: string
}

/** What a PUT of the plan answers (`docs/interface.md#generated-files`). */
interface PlanWriteResult {
  filename: string
  /** `/v1/fs/…` */
  path: string
  url: string
  changed: boolean
  /** Headings of the sections whose text was not kept. */
  ignored: string[]
  revision: string
}

/** In bytes. */
const maxGoalLength = 64 * 1024

const goalRevision = (goal: string) => revisionOf(Buffer.from(goal))

/**
 * What a project is for and where it stands, made of its goal, its cards and its asks for each reader: `plan.md` and
 * `map.md`. Every call throws WorkspaceError `not_found` or `forbidden` for the project.
 */
export class Plan {
  private readonly deps: PlanDeps

  constructor(deps: PlanDeps) {
    this.deps = deps
  }

  async page(caller: Caller, slug: string): Promise<PlanPage> {
    const { url, revision, ...facts } = await this.facts(caller, slug)
    return { text: planMarkdown(facts), url, revision }
  }

  /** What the plan shows, for those who show it in another way. */
  async facts(caller: Caller, slug: string): Promise<PlanData & Pick<PlanPage, 'url' | 'revision'>> {
    requireScope(caller, 'documents:read')
    const { askPages, goals, lists, pageUrl, projects } = this.deps
    const project = projects.require(caller.member, slug)
    const cards = hasScope(caller, 'cards:read') ? await lists.plannedCards(caller, project.id) : null
    const asks = hasScope(caller, 'asks:read')
      ? {
          open: askPages.withState(project, 'open'),
          claimed: askPages.withState(project, 'claimed'),
          resolved: askPages.recentlyResolved(project),
        }
      : null
    const goal = goals.find(project.id)
    return {
      ...planData({ projectName: project.name, goal, cards, asks }),
      url: pageUrl(planPagePath(project)),
      revision: goalRevision(goal),
    }
  }

  /**
   * Sets the goal to what stands in a file under `## the goal`; blank takes it away.
   * @param precondition on the revision of the goal
   * @throws WorkspaceError `too_large`, or `conflict` where somebody has set another meanwhile
   */
  async setGoal(
    caller: Caller,
    slug: string,
    body: Uint8Array,
    precondition: Precondition,
  ): Promise<PlanWriteResult> {
    requireScope(caller, 'documents:write')
    const { clock, database, goals, pageUrl, projects } = this.deps
    const project = projects.require(caller.member, slug)
    const { goal, ignored } = parseGoal(Buffer.from(body).toString())
    if (Buffer.byteLength(goal) > maxGoalLength) {
      throw new WorkspaceError(
        'too_large',
        'The goal may be at most 64 kB long. Keep the rest in a document.',
        {
          fields: { limitBytes: maxGoalLength },
        },
      )
    }
    const changed = await commitOrUnavailable(database, () => {
      requireWritable(project)
      const before = goals.find(project.id)
      requirePrecondition(precondition, { revision: goalRevision(before) }, 'plan')
      if (goal !== before) goals.put(project.id, goal, caller.member.id, clock.now())
      return goal !== before
    })
    return {
      filename: 'plan.md',
      path: planTreePath(project),
      url: pageUrl(planPagePath(project)),
      changed,
      ignored,
      revision: goalRevision(goal),
    }
  }

  /** The questions of a project. */
  async map(caller: Caller, slug: string): Promise<GeneratedPage> {
    const { url, ...map } = await this.questions(caller, slug)
    return { text: mapMarkdown(map), url }
  }

  /** What the map shows, for those who show it in another way. */
  async questions(caller: Caller, slug: string): Promise<QuestionMap & Pick<GeneratedPage, 'url'>> {
    const { askPages, lists, pageUrl, projects } = this.deps
    const cards = await lists.plannedCards(caller, slug)
    const project = projects.require(caller.member, slug)
    const asks = hasScope(caller, 'asks:read')
      ? { open: askPages.withState(project, 'open'), resolved: askPages.recentlyResolved(project) }
      : null
    return {
      ...questionMap({ projectName: project.name, cards, asks }),
      url: pageUrl(mapPagePath(project)),
    }
  }

  /** A map's drawing as a page shows it: HTML that is safe to stand in a `figure` as it is. @param drawing Mermaid's text */
  drawMap(drawing: string): Promise<string> {
    return this.deps.markdown.diagram(drawing)
  }
}
