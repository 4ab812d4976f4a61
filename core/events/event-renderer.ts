import type { EventRecord } from '../../data/tables/events.ts'
import { hasScope } from '../access/permissions.ts'
import { skillTreePath } from '../paths.ts'
import type { ProjectJoinEvent } from '../projects/join-event.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { SkillPublishEvent } from '../skills/publish-event.ts'
import { cursorOf } from './cursor.ts'
import { type DocumentEventDeps, documentEvents } from './document-events.ts'
import type { AskEvent } from './events.ts'
import type { EventPresenter } from './kinds.ts'
import { type MessageEventDeps, messageEvents, messageMarkEvents } from './message-events.ts'
import { roomEvents } from './room-events.ts'
import type { EventSubscription } from './subscription.ts'

export type EventRendererDeps = MessageEventDeps & DocumentEventDeps & { projects: ProjectStore }

/** Lives for one turn: its cache is then outdated. Readers with equal permissions share the text. */
export class EventRenderer {
  private readonly kinds: Record<EventRecord['type'], EventPresenter>
  private readonly texts = new Map<string, string>()
  private readonly bodies = new Map<string, Uint8Array>()

  constructor(deps: EventRendererDeps) {
    const documents = documentEvents(deps)
    const messageMarks = messageMarkEvents(deps)
    this.kinds = {
      message: messageEvents(deps),
      'message.reaction': messageMarks,
      'message.pin': messageMarks,
      ask: askEvents(deps),
      'doc.write': documents,
      'doc.delete': documents,
      'project.join': projectEvents(deps),
      'room.change': roomEvents(deps),
      'skill.publish': skillEvents(deps),
    }
  }

  isVisible(row: EventRecord, subscription: EventSubscription): boolean {
    return this.kinds[row.type].visibilityFor(row, subscription) !== null
  }

  /** Returns null if no event is visible any longer. */
  body(rows: readonly EventRecord[], subscription: EventSubscription): Uint8Array | null {
    const variants = rows.map((row) => this.kinds[row.type].visibilityFor(row, subscription))
    let key = ''
    for (const [index, variant] of variants.entries())
      if (variant !== null) key += `${rows[index]!.tick}${variant},`
    if (key === '') return null
    const body = this.bodies.get(key) ?? this.newBody(rows, variants)
    this.bodies.set(key, body)
    return body
  }

  private newBody(rows: readonly EventRecord[], variants: readonly (string | null)[]): Uint8Array {
    const texts: string[] = []
    let lastTick = 0
    for (const [index, variant] of variants.entries()) {
      if (variant === null) continue
      const row = rows[index]!
      texts.push(this.text(row, variant))
      lastTick = row.tick
    }
    return bodyOf(texts, cursorOf(lastTick))
  }

  private text(row: EventRecord, variant: string): string {
    const key = `${row.tick}${variant}`
    const text = this.texts.get(key) ?? this.kinds[row.type].json(row, variant)
    this.texts.set(key, text)
    return text
  }
}

const bodyOf = (events: readonly string[], cursor: number): Uint8Array =>
  Buffer.from(`{"events":[${events.join()}],"cursor":${JSON.stringify(cursor)}}`)

export const emptyBody = (cursor: number): Uint8Array => bodyOf([], cursor)

/** A member sees events of their own asks even in projects that they have left, unless these are deleted. */
const askEvents = ({ projects: store }: EventRendererDeps): EventPresenter => ({
  visibilityFor({ projectId, askerId }, { caller, filter, projects }) {
    const isOwn = askerId === caller.member.id && filter.project === undefined
    const isReadable = projects.has(projectId!) || (isOwn && store.find(projectId!)?.deletedMs === null)
    if (filter.documentId !== undefined || !isReadable) return null
    return hasScope(caller, 'asks:read') ? '' : null
  },
  json({ atMs, projectId, detail }) {
    const { askId, state, preview, chosenOption, resolution } = JSON.parse(detail) as AskEvent['detail']
    return JSON.stringify({
      type: 'ask',
      ts: atMs,
      askId,
      askState: state,
      preview,
      projectId,
      chosenOption,
      resolution,
    })
  },
})

/** Members added to a project by an owner or admin from outside it. */
const projectEvents = ({ members }: EventRendererDeps): EventPresenter => ({
  visibilityFor({ projectId }, { caller, filter, projects }) {
    if (filter.documentId !== undefined || !projects.has(projectId!)) return null
    return hasScope(caller, 'projects:read') ? '' : null
  },
  json({ atMs, actorId, projectId, detail }) {
    const { memberId, role } = JSON.parse(detail) as ProjectJoinEvent['detail']
    const member = members.find(memberId)!
    const author = members.find(actorId!)!
    return JSON.stringify({
      type: 'project.join',
      ts: atMs,
      projectId,
      memberId,
      memberName: member.name,
      memberType: member.type,
      role,
      author: author.name,
      authorId: author.id,
      authorType: author.type,
    })
  },
})

/** New versions of skills. A member sees their own as well. */
const skillEvents = ({ members, projects: store }: EventRendererDeps): EventPresenter => ({
  visibilityFor({ projectId }, { caller, filter, projects }) {
    if (filter.documentId !== undefined || !projects.has(projectId!)) return null
    return hasScope(caller, 'projects:read') ? '' : null
  },
  json({ atMs, actorId, projectId, detail }) {
    const { name, version, isPublished } = JSON.parse(detail) as SkillPublishEvent['detail']
    const author = actorId === null ? null : members.find(actorId)!
    return JSON.stringify({
      type: 'skill.publish',
      ts: atMs,
      projectId,
      name,
      version,
      path: isPublished ? skillTreePath(store.find(projectId!)!, name) : null,
      ...(author && { author: author.name, authorId: author.id, authorType: author.type }),
    })
  },
})
