import type { Database } from '../../data/database.ts'
import type { AskRow, AsksTable } from '../../data/tables/asks.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireAskVisible, requireProject, requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Events } from '../events/events.ts'
import { type IdempotencyKeys, requireIdempotencyKey } from '../idempotency.ts'
import type { NewId } from '../ids.ts'
import { previewOf } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Clock } from '../time/clock.ts'
import type { Announcements } from './announcements.ts'
import { requireAskText } from './ask-text.ts'
import { askView } from './ask-view.ts'
import { claimHolder, requireAssignees } from './holder-and-assignees.ts'
import { type AskChanges, assigned, cancelled, claim, release, resolve } from './steps.ts'
import type { AskList, AskState, AskView, NewAsk, Resolution } from './types.ts'

interface AsksDeps {
  database: Database
  clock: Clock
  newId: NewId
  asks: AsksTable
  members: MemberStore
  projects: ProjectStore
  events: Events
  idempotencyKeys: IdempotencyKeys
  announcements: Announcements
}

/** The most asks of a list. */
const maxPageSize = 100

/**
 * The asks of the projects (`docs/interface.md#asks`). Every call throws WorkspaceError `not_found` for an ask or project that
 * is not there, and `forbidden` for those who are not in the project; who has raised an ask goes on seeing it.
 */
export class Asks {
  private readonly deps: AsksDeps

  constructor(deps: AsksDeps) {
    this.deps = deps
  }

  /**
   * A page of the asks that the caller may see, or of one project's.
   * @param options `limit`: how many; above 100 it is 100. `cursor`: the `nextCursor` of the page before
   * @throws WorkspaceError `bad_request` for a cursor that is none
   */
  list(
    caller: Caller,
    options: { project?: string; state?: AskState; limit: number; cursor?: string },
  ): AskList {
    requireScope(caller, 'asks:read')
    const { asks, projects } = this.deps
    const { project, state = null, cursor } = options
    const limit = Math.min(options.limit, maxPageSize)
    // One more than the page holds tells whether there is another page.
    const filter = { state, before: this.positionOf(caller, cursor), limit: limit + 1 }
    const rows =
      project === undefined
        ? asks.visible(
            projects.readableBy(caller.member).map(({ id }) => id),
            caller.member.id,
            filter,
          )
        : asks.inProject(projects.require(caller.member, project).id, filter)
    const page = rows.slice(0, limit)
    return { asks: page.map(askView), nextCursor: rows.length > limit ? page.at(-1)!.id : null }
  }

  get(caller: Caller, askId: string): AskView {
    requireScope(caller, 'asks:read')
    return askView(this.requireVisible(caller.member, askId))
  }

  /**
   * Raises an ask, and announces it in a room where one is named.
   * @throws WorkspaceError `bad_request` for words or assignees that cannot be, and what a message in that room throws
   */
  async create(caller: Caller, request: NewAsk): Promise<{ askId: string }> {
    requireScope(caller, 'asks:write')
    if (request.roomId !== undefined) requireScope(caller, 'rooms:write')
    const key = request.idempotencyKey ?? null
    if (key !== null) requireIdempotencyKey(key)
    // No key holds a line break: one that a message was sent with is another.
    const ownKey = key === null ? null : `ask\n${key}`
    return commitOrUnavailable(this.deps.database, () =>
      this.deps.idempotencyKeys.once(caller.member.id, ownKey, () => this.add(caller.member, request)),
    )
  }

  /**
   * Takes on an open ask; the first claim wins. Safe to repeat. A claim ends with its holder's place in the project.
   * @throws WorkspaceError `conflict` where somebody else holds it or it is done, `bad_request` for a question
   */
  claim(caller: Caller, askId: string): Promise<AskView> {
    return this.change(caller, askId, (ask, project) =>
      claim(ask, caller.member, claimHolder(ask, project, this.deps)),
    )
  }

  /** Gives a claimed ask back. @throws WorkspaceError `conflict` where nobody has claimed it */
  release(caller: Caller, askId: string): Promise<AskView> {
    return this.change(caller, askId, (ask) => release(ask, caller.member))
  }

  /**
   * Ends an ask with what came of it. A question takes one of its options, from a person.
   * @throws WorkspaceError `conflict` where it is done already, `bad_request` for an answer that is none
   */
  resolve(caller: Caller, askId: string, answer: Resolution): Promise<AskView> {
    return this.change(caller, askId, (ask) => {
      const changes = resolve(ask, caller.member, answer)
      this.deps.announcements.replyToAnnouncement({ ...ask, ...changes }, caller)
      return changes
    })
  }

  /** Withdraws an ask, also from outside its project; safe to repeat. @throws WorkspaceError `conflict` once it is resolved */
  cancel(caller: Caller, askId: string): Promise<AskView> {
    return this.change(caller, askId, (ask) => cancelled(ask, caller.member), 'also from outside')
  }

  /**
   * Says whose the ask is: anybody in the project may, as long as nobody else has claimed it.
   * @param who ids or names
   * @throws WorkspaceError `conflict` while somebody else holds it or once it is done, `bad_request` naming who cannot be
   */
  assign(caller: Caller, askId: string, who: readonly string[]): Promise<AskView> {
    return this.change(caller, askId, (ask, project) =>
      assigned(ask, caller.member, {
        holder: claimHolder(ask, project, this.deps),
        assignees: () => requireAssignees(who, project, this.deps),
      }),
    )
  }

  /** To be called inside a commit. */
  private add(author: Member, request: NewAsk): { askId: string } {
    const { announcements, asks, clock, newId, projects } = this.deps
    const project = projects.require(author, request.project)
    requireWritable(project)
    const nowMs = clock.now()
    const ask = {
      ...requireAskText(request),
      id: newId('ask'),
      projectId: project.id,
      state: 'open' as const,
      createdBy: author.id,
      assignees: requireAssignees(request.assignees ?? [], project, this.deps),
      claimedBy: null,
      resolvedBy: null,
      chosenOption: null,
      resolution: null,
      createdMs: nowMs,
      updatedMs: nowMs,
    }
    const { roomId, sentVia } = request
    const messageId = roomId === undefined ? null : announcements.announce(ask, author, roomId, sentVia)
    asks.insert({ ...ask, messageId })
    this.publish(ask, author.id)
    return { askId: ask.id }
  }

  /** Takes a step, looking and writing in one commit: of two at once, the second sees what the first did. */
  private change(
    caller: Caller,
    askId: string,
    step: (ask: AskRow, project: Project) => AskChanges | null,
    from: 'inside' | 'also from outside' = 'inside',
  ): Promise<AskView> {
    requireScope(caller, 'asks:write')
    const { asks, clock, database, projects } = this.deps
    return commitOrUnavailable(database, () => {
      const ask = this.requireVisible(caller.member, askId)
      const project = projects.find(ask.projectId)!
      if (from === 'inside') requireProject(caller.member, project, projects.roleOf(project, caller.member))
      requireWritable(project)
      const changes = step(ask, project)
      if (changes === null) return askView(ask)
      const changed = { ...ask, ...changes, updatedMs: clock.now() }
      asks.update(changed)
      const isNews = changed.state !== ask.state || changed.claimedBy !== ask.claimedBy
      if (isNews) this.publish(changed, caller.member.id)
      return askView(changed)
    })
  }

  private publish(ask: Omit<AskRow, 'place' | 'messageId'>, actorId: string): void {
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

  private requireVisible(member: Member, askId: string): AskRow {
    const { asks, projects } = this.deps
    const ask = asks.find(askId)
    if (!ask) {
      throw new WorkspaceError('not_found', `There is no ask ${askId}.`, { next: { step: 'list asks' } })
    }
    const project = projects.find(ask.projectId)!
    requireAskVisible(member, ask.createdBy, project, projects.roleOf(project, member))
    return ask
  }

  private positionOf({ member }: Caller, cursor: string | undefined): number {
    if (cursor === undefined) return Number.MAX_SAFE_INTEGER
    const ask = this.deps.asks.find(cursor)
    if (ask) return this.requireVisible(member, ask.id).place
    throw new WorkspaceError(
      'bad_request',
      'The cursor does not belong to this list. Send nextCursor of the previous page, or leave it out to start.',
    )
  }
}
