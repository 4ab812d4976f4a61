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
import { goalIn } from './goal-text.ts'
import { type PlanData, planData } from './plan-data.ts'
import { planMarkdown } from './plan-page.ts'
import { mapMarkdown, type QuestionMap, questionMap } from './question-map.ts'

interface PlanDeps {
  database: Database
  clock: Clock
  goals: ProjectGoalsTable
  projects: ProjectStore
  lists: Pick<DocumentLists, 'plannedCards'>
  askPages: AskPages
  markdown: Pick<MarkdownService, 'diagram' | 'headings'>
  pageUrl: (path: string) => string
}

/** `revision` is that of the goal, the only part of the page that can be written. */
interface PlanPage extends GeneratedPage {
  revision: string
}

interface PlanWriteResult {
  filename: string
  path: string
  url: string
  changed: boolean
  ignored: string[]
  revision: string
}

const maxGoalBytes = 64 * 1024

const goalRevision = (goal: string) => revisionOf(Buffer.from(goal))

/** `plan.md` and `map.md`, generated for each reader from a project's goal, cards and asks. */
export class Plan {
  constructor(private readonly deps: PlanDeps) {}

  async page(caller: Caller, slug: string): Promise<PlanPage> {
    const { url, revision, ...data } = await this.data(caller, slug)
    return { text: planMarkdown(data), url, revision }
  }

  async data(caller: Caller, slug: string): Promise<PlanData & Pick<PlanPage, 'url' | 'revision'>> {
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
   * A blank goal removes it.
   * @throws WorkspaceError `too_large`; `invalid` if it cannot be parsed; `conflict` if the goal has changed since
   */
  async setGoal(
    caller: Caller,
    slug: string,
    body: Uint8Array,
    precondition: Precondition,
  ): Promise<PlanWriteResult> {
    requireScope(caller, 'documents:write')
    const { clock, database, goals, markdown, pageUrl, projects } = this.deps
    const project = projects.require(caller.member, slug)
    const headings = await markdown.headings(body)
    if (headings === null) {
      const message = 'The text takes too long to parse. Shorten it, or move a part of it into a document.'
      throw new WorkspaceError('invalid', message)
    }
    const { goal, ignored } = goalIn(Buffer.from(body).toString(), headings)
    if (Buffer.byteLength(goal) > maxGoalBytes) {
      const message = 'The goal may be at most 64 kB long. Move the rest into a document.'
      throw new WorkspaceError('too_large', message, { fields: { limitBytes: maxGoalBytes } })
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

  async map(caller: Caller, slug: string): Promise<GeneratedPage> {
    const { url, ...map } = await this.questions(caller, slug)
    return { text: mapMarkdown(map), url }
  }

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

  /** Returns HTML that is safe to insert into a `figure`. */
  drawMap(drawing: string): Promise<string> {
    return this.deps.markdown.diagram(drawing)
  }
}
