import type { Database } from '../../data/database.ts'
import type { AskRow } from '../../data/tables/asks.ts'
import type { Caller, Member } from '../access/member.ts'
import { hasScope, requireAskVisible, requireProject, requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { type IdempotencyKeys, requireIdempotencyKey } from '../concurrency/idempotency-keys.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Announcements } from './announcements.ts'
import type { AskStore } from './ask-store.ts'
import { askView } from './ask-view.ts'
import { claimHolder, requireAssignees } from './holder-and-assignees.ts'
import { type AskChanges, assign, cancel, claim, release, resolve } from './steps.ts'
import type { AskList, AskListOptions, AskView, NewAsk, Resolution } from './types.ts'

interface AsksDeps {
  database: Database
  asks: AskStore
  members: MemberStore
  projects: ProjectStore
  idempotencyKeys: IdempotencyKeys
  announcements: Announcements
}

interface StepOptions {
  fromOutside?: boolean
  /** Posts about the step in a room. Returns the members whom that notifies. */
  announce?: (ask: AskRow) => readonly string[]
}

/** `docs/interface.md#asks`. @throws WorkspaceError `conflict` if the ask's state does not allow the step */
export class Asks {
  constructor(private readonly deps: AsksDeps) {}

  list(caller: Caller, options: AskListOptions): AskList {
    requireScope(caller, 'asks:read')
    const { asks, projects } = this.deps
    const { project, state = null, limit, cursor } = options
    const page = { state, before: this.positionOf(caller.member, cursor), limit }
    return project === undefined
      ? asks.visibleTo(caller.member, page)
      : asks.inProject(projects.require(caller.member, project), page)
  }

  get(caller: Caller, askId: string): AskView {
    requireScope(caller, 'asks:read')
    return askView(this.requireVisible(caller.member, askId))
  }

  async create(caller: Caller, request: NewAsk): Promise<{ askId: string }> {
    requireScope(caller, 'asks:write')
    if (request.roomId !== undefined) requireScope(caller, 'rooms:write')
    const key = request.idempotencyKey ?? null
    if (key !== null) requireIdempotencyKey(key)
    return commitOrUnavailable(this.deps.database, () =>
      // A key has no line break, so this one differs from the same key of a message.
      this.deps.idempotencyKeys.once(caller.member.id, key && `ask\n${key}`, () =>
        this.add(caller.member, request),
      ),
    )
  }

  claim(caller: Caller, askId: string): Promise<AskView> {
    return this.change(caller, askId, (ask, project) =>
      claim(ask, caller.member, claimHolder(ask, project, this.deps)),
    )
  }

  release(caller: Caller, askId: string): Promise<AskView> {
    return this.change(caller, askId, (ask) => release(ask, caller.member))
  }

  resolve(caller: Caller, askId: string, answer: Resolution): Promise<AskView> {
    const { announcements } = this.deps
    return this.change(caller, askId, (ask) => resolve(ask, caller.member, answer), {
      announce: (resolved) =>
        hasScope(caller, 'rooms:write') ? announcements.replyToAnnouncement(resolved, caller.member) : [],
    })
  }

  /** Idempotent. The creator may cancel from outside the project. */
  cancel(caller: Caller, askId: string): Promise<AskView> {
    return this.change(caller, askId, (ask) => cancel(ask, caller.member), { fromOutside: true })
  }

  assign(caller: Caller, askId: string, assignees: readonly string[]): Promise<AskView> {
    return this.change(caller, askId, (ask, project) =>
      assign(ask, caller.member, {
        holder: claimHolder(ask, project, this.deps),
        assignees: () => requireAssignees(assignees, project, this.deps),
      }),
    )
  }

  private add(author: Member, request: NewAsk): { askId: string } {
    const { announcements, asks, projects } = this.deps
    const project = projects.require(author, request.project)
    requireWritable(project)
    const ask = asks.draft(author, project, request)
    const { roomId, sentVia } = request
    const announcement = roomId === undefined ? null : announcements.announce(ask, author, roomId, sentVia)
    asks.add({ ...ask, messageId: announcement?.id ?? null }, announcement?.notified)
    return { askId: ask.id }
  }

  /** Reads and writes in one commit, so that the second of two concurrent steps sees the first. */
  private change(
    caller: Caller,
    askId: string,
    step: (ask: AskRow, project: Project) => AskChanges | null,
    { fromOutside = false, announce = () => [] }: StepOptions = {},
  ): Promise<AskView> {
    requireScope(caller, 'asks:write')
    const { member } = caller
    const { asks, database, projects } = this.deps
    return commitOrUnavailable(database, () => {
      const ask = this.requireVisible(member, askId)
      const project = projects.find(ask.projectId)!
      if (!fromOutside) requireProject(member, project, projects.roleOf(project, member))
      requireWritable(project)
      const changes = step(ask, project)
      if (changes === null) return askView(ask)
      return askView(asks.change(ask, changes, member.id, announce({ ...ask, ...changes })))
    })
  }

  private requireVisible(member: Member, askId: string): AskRow {
    const { asks, projects } = this.deps
    const ask = asks.require(askId)
    const project = projects.find(ask.projectId)!
    requireAskVisible(member, ask.createdBy, project, projects.roleOf(project, member))
    return ask
  }

  private positionOf(member: Member, cursor: string | undefined): number {
    if (cursor === undefined) return Number.MAX_SAFE_INTEGER
    if (this.deps.asks.find(cursor)) return this.requireVisible(member, cursor).place
    throw new WorkspaceError(
      'bad_request',
      'The cursor does not belong to this list. Send nextCursor of the previous page, or leave it out to start.',
    )
  }
}
