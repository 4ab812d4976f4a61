import type { AskRow, AsksTable, NewAskRow } from '../../data/tables/asks.ts'
import type { Member } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Events } from '../events/events.ts'
import type { NewId } from '../ids.ts'
import type { Notices } from '../inbox/notices.ts'
import { previewOf } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Clock } from '../time/clock.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'
import { requireAskText } from './ask-text.ts'
import { askView } from './ask-view.ts'
import { requireAssignees } from './holder-and-assignees.ts'
import type { AskChanges } from './steps.ts'
import type { AskList, AskState, NewAsk } from './types.ts'

interface AskStoreDeps {
  clock: Clock
  newId: NewId
  asks: AsksTable
  members: MemberStore
  projects: ProjectStore
  events: Events
  noticeStore: Notices
  deliveryEnqueuer: DeliveryEnqueuer
}

interface AskPageRequest {
  state: AskState | null
  /** The cursor: only older asks are returned. */
  before: number
  limit: number
}

const maxPageSize = 100

/** Checks no caller. `add` and `change` must be called inside a commit. */
export class AskStore {
  constructor(private readonly deps: AskStoreDeps) {}

  find(askId: string): AskRow | null {
    return this.deps.asks.find(askId) ?? null
  }

  require(askId: string): AskRow {
    const ask = this.find(askId)
    if (ask) return ask
    throw new WorkspaceError('not_found', `There is no ask ${askId}.`, { next: { step: 'list asks' } })
  }

  inProject({ id }: Project, request: AskPageRequest): AskList {
    return askList(request, (filter) => this.deps.asks.inProject(id, filter))
  }

  visibleTo(member: Member, request: AskPageRequest): AskList {
    const { asks, projects } = this.deps
    const projectIds = projects.readableBy(member).map(({ id }) => id)
    return askList(request, (filter) => asks.visible(projectIds, member.id, filter))
  }

  draft(author: Member, project: Project, request: NewAsk): Omit<NewAskRow, 'messageId'> {
    const nowMs = this.deps.clock.now()
    return {
      ...requireAskText(request),
      id: this.deps.newId('ask'),
      projectId: project.id,
      state: 'open',
      createdBy: author.id,
      assignees: requireAssignees(request.assignees ?? [], project, this.deps),
      claimedBy: null,
      resolvedBy: null,
      chosenOption: null,
      resolution: null,
      createdMs: nowMs,
      updatedMs: nowMs,
    }
  }

  /** @param alreadyNotified members whom the announcement already notifies */
  add(ask: NewAskRow, alreadyNotified: readonly string[] = []): void {
    this.deps.asks.insert(ask)
    this.publish(ask, ask.createdBy)
    this.notify(null, ask, ask.createdBy, alreadyNotified)
  }

  change(ask: AskRow, changes: AskChanges, actorId: string, alreadyNotified: readonly string[] = []): AskRow {
    const changed = { ...ask, ...changes, updatedMs: this.deps.clock.now() }
    this.deps.asks.update(changed)
    const isStateChange = changed.state !== ask.state || changed.claimedBy !== ask.claimedBy
    if (isStateChange) this.publish(changed, actorId)
    this.notify(ask, changed, actorId, alreadyNotified)
    return changed
  }

  private notify(
    before: AskRow | null,
    after: NewAskRow,
    actorId: string,
    alreadyNotified: readonly string[],
  ): void {
    const { noticeStore, deliveryEnqueuer } = this.deps
    const assigned = noticeStore.addForAsk(before, after, actorId, alreadyNotified)
    deliveryEnqueuer.enqueueForAsk(after, assigned, actorId)
  }

  private publish(ask: NewAskRow, actorId: string): void {
    const { events, members } = this.deps
    const { id: askId, projectId, createdBy: askerId, state, title, body, chosenOption, resolution } = ask
    const preview = previewOf(body === '' ? title : `${title}\n\n${body}`, members.names())
    events.append({
      type: 'ask',
      projectId,
      askerId,
      actorId,
      detail: {
        askId,
        state,
        preview,
        ...(chosenOption !== null && { chosenOption }),
        ...(resolution !== null && { resolution }),
      },
    })
  }
}

function askList(request: AskPageRequest, read: (filter: AskPageRequest) => AskRow[]): AskList {
  const limit = Math.min(request.limit, maxPageSize)
  // One row more than requested shows whether there is another list page.
  const rows = read({ ...request, limit: limit + 1 })
  const page = rows.slice(0, limit)
  return { asks: page.map(askView), nextCursor: rows.length > limit ? page.at(-1)!.id : null }
}
