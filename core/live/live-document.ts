import type { Database } from '../../data/database.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { LiveTextRow, LiveTextsTable } from '../../data/tables/live-texts.ts'
import type { RevisionWritersTable } from '../../data/tables/revision-writers.ts'
import type { Member } from '../access/member.ts'
import type { TextSaves } from '../documents/writing/text-saves.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Clock } from '../time/clock.ts'
import { type LiveText, type PendingSave, type TextUpdate, textOf } from './live-text.ts'
import type {
  GoneMessage,
  LiveMember,
  LiveOrigin,
  LivePerson,
  LiveRange,
  LiveUpdate,
  PushMessage,
  ServerMessage,
} from './protocol.ts'
import { SaveSchedule } from './save-schedule.ts'
import { rowOf, updateRowOf } from './stored-text.ts'
import { textDifference } from './text-difference.ts'

export interface LiveClient {
  readonly clientId: string
  readonly member: LiveMember
  ranges: LiveRange[]
  send(message: ServerMessage): void
}

export interface LiveDocumentDeps {
  clock: Clock
  database: Database
  liveTexts: LiveTextsTable
  revisionWriters: RevisionWritersTable
  members: MemberStore
  saves: Pick<TextSaves, 'save'>
  maxBytes: number
  /** The text in memory could not be stored, so no editor may continue with it. */
  onFailure(error: unknown): void
  onSaved(): void
  onProblem(message: string, error: unknown): void
}

/** Only the next start and editors that reconnect read these rows, so listeners need not be notified. */
const typingCommitOptions = ['afterCommit', { publishes: false }] as const

/** The pause between two messages of updates, for each editor that has the text open. */
const pausePerEditorMs = 0.2

/** The live text of one document. Updates are durable before editors receive them, and saved as revisions. */
export class LiveDocument {
  readonly id: string
  readonly clients = new Set<LiveClient>()
  private readonly deps: LiveDocumentDeps
  private readonly live: LiveText
  private lastSent: { version: number; text: LiveText['text'] }
  private sending: Promise<void> = Promise.resolve()
  private storing = 0
  /** Durable updates that are sent soon. */
  private unsent: TextUpdate[] = []
  private unsentText: LiveText['text']
  private sentAtMs = 0
  private savedAtMs: number
  private readonly schedule: SaveSchedule
  private failure: string | null = null
  private saving: Promise<void> | null = null
  private savingRevision: string | null = null
  private isEnded = false

  constructor(id: string, live: LiveText, savedAtMs: number, deps: LiveDocumentDeps) {
    this.id = id
    this.live = live
    this.savedAtMs = savedAtMs
    this.deps = deps
    this.schedule = new SaveSchedule(deps.clock, () => void this.save())
    this.lastSent = { version: live.version, text: live.text }
    this.unsentText = live.text
    if (!live.isSaved) this.noteChange()
  }

  get isSaved(): boolean {
    return this.live.isSaved
  }

  get isStored(): boolean {
    return this.storing === 0
  }

  get unsavedSinceMs(): number | null {
    return this.live.isSaved ? null : this.schedule.unsavedSinceMs
  }

  /** Why the last save failed, if it is tried again automatically; otherwise null. */
  get saveFailure(): string | null {
    return this.failure
  }

  get text(): string {
    return this.live.text.toString()
  }

  /** The members whose changes are not saved, the one who wrote most first. */
  get unsavedWriters(): string[] {
    return [...this.live.contributions]
      .sort(([, one], [, other]) => other - one)
      .map(([memberId]) => memberId)
  }

  /** @param resumeFrom the state of a client that reconnects */
  join(
    client: LiveClient,
    resumeFrom: { epoch?: string; version?: number },
    agents: readonly LivePerson[],
  ): void {
    const { epoch, revision } = this.live
    const updates =
      resumeFrom.epoch === epoch && resumeFrom.version !== undefined
        ? this.updatesSince(resumeFrom.version)
        : null
    client.send({
      type: 'opened',
      epoch,
      version: this.lastSent.version,
      ...(updates ? { updates: this.toLiveUpdates(updates) } : { text: this.lastSent.text.toString() }),
      saved: { revision, version: this.live.savedVersion, at: this.savedAtMs },
      people: [...[...this.clients].map(personOf), ...agents],
    })
    this.notifyEditors({ type: 'joined', clientId: client.clientId, member: client.member })
    this.clients.add(client)
  }

  leave(client: LiveClient): void {
    if (!this.clients.delete(client)) return
    this.notifyEditors({ type: 'left', clientId: client.clientId, member: client.member })
  }

  /** @throws WorkspaceError `conflict` for a version that is not known; `bad_request`, `too_large` */
  push({ clientId, member }: LiveClient, message: PushMessage): void {
    const { maxBytes } = this.deps
    const inserted = JSON.stringify(message.updates).length
    if (this.live.text.length + inserted > maxBytes) this.requireWithinLimit(message, maxBytes)
    this.store(this.live.push({ clientId, memberId: member.id }, message))
    this.noteChange()
  }

  select(client: LiveClient, version: number, ranges: LiveRange[]): void {
    client.ranges = ranges
    const { clientId, member } = client
    this.notifyEditors({ type: 'selection', clientId, member, version, ranges }, client)
  }

  notifyEditors(message: ServerMessage, except?: LiveClient): void {
    for (const client of this.clients) if (client !== except) client.send(message)
  }

  /** For another write of the document, once it is in the catalogue. */
  applyWrite(record: DocumentRecord, stored: Uint8Array, origin: LiveOrigin): void {
    if (record.revision === this.live.revision || record.revision === this.savingRevision) return
    const by = { memberId: record.editorId, origin }
    const update = this.live.applyRevision(record.revision, textOf(Buffer.from(stored).toString()), by)
    this.savedAtMs = record.editedMs ?? this.deps.clock.now()
    this.store(update ? [update] : [], true)
    this.sendSaved(this.live.savedVersion)
  }

  /** Merges a text written on an older revision that no later one contains. Resolves when it is stored. */
  async applyDisplaced(
    base: string,
    saved: { revision: string; text: string },
    memberId: string,
  ): Promise<void> {
    const by = { memberId, origin: 'file' as const }
    const update = this.live.applyDisplaced(textOf(base), { ...saved, text: textOf(saved.text) }, by)
    if (!update) return this.deps.database.flushed()
    const stored = this.store([update])
    this.noteChange()
    await stored
  }

  /** Saves unsaved changes; concurrent calls share one save. */
  save(): Promise<void> {
    this.saving ??= this.saveNow().finally(() => {
      this.saving = null
      this.savingRevision = null
    })
    return this.saving
  }

  async whenStored(): Promise<void> {
    await this.sending
  }

  /** Waits for what has begun. Nothing is saved afterwards. */
  async end(): Promise<void> {
    this.isEnded = true
    this.schedule.stop()
    await this.saving
    await this.sending
    this.sendUpdates()
  }

  notifyGone(
    message: Omit<GoneMessage, 'type' | 'draft'>,
    drafts: ReadonlyMap<string, string> = new Map(),
  ): void {
    for (const client of this.clients) {
      const draft = drafts.get(client.member.id)
      client.send({ type: 'gone', ...message, ...(draft !== undefined && { draft }) })
    }
  }

  private requireWithinLimit({ updates }: PushMessage, maxBytes: number): void {
    const bytes = Buffer.byteLength(this.text) + Buffer.byteLength(JSON.stringify(updates))
    if (bytes <= maxBytes) return
    throw new WorkspaceError('too_large', `A text may be at most ${maxBytes} bytes long.`, {
      fields: { limitBytes: maxBytes },
    })
  }

  /** @param isRebased whether the revision that a restart begins with has changed */
  private store(updates: readonly TextUpdate[], isRebased = false): Promise<void> {
    if (updates.length === 0 && !isRebased) return Promise.resolve()
    const { database, liveTexts, clock, onFailure } = this.deps
    this.storing += 1
    const base = isRebased ? rowOf(this.id, this.live, clock.now()) : null
    const rows = updates.map((update) => updateRowOf(this.id, update))
    const { text } = this.live
    const stored = database
      .commit(
        () => {
          for (const row of rows) liveTexts.append(row)
          if (base) this.putBase(base)
          else liveTexts.markUnsaved(this.id, clock.now())
        },
        ...typingCommitOptions,
      )
      .then(() => database.flushed())
      .finally(() => {
        this.storing -= 1
      })
    this.sending = Promise.all([this.sending, stored]).then(
      () => this.notifySoon(updates, text),
      (error) => {
        if (!this.isEnded) onFailure(error)
      },
    )
    return stored
  }

  private putBase(base: LiveTextRow): void {
    const { liveTexts } = this.deps
    liveTexts.put(base)
    liveTexts.trim(this.id, this.live.forgottenVersion)
  }

  /** Joins the updates of a turn. The more editors, the fewer messages, since each is costly. */
  private notifySoon(updates: readonly TextUpdate[], text: LiveText['text']): void {
    if (updates.length === 0) return
    this.unsentText = text
    this.unsent.push(...updates)
    if (this.unsent.length > updates.length) return
    const waitMs = this.sentAtMs + this.clients.size * pausePerEditorMs - performance.now()
    // After all promises of this turn.
    if (waitMs < 1) process.nextTick(() => this.sendUpdates())
    else setTimeout(() => this.sendUpdates(), waitMs)
  }

  private sendUpdates(): void {
    const updates = this.unsent
    if (updates.length === 0) return
    this.unsent = []
    const from = this.lastSent.version
    this.lastSent = { version: updates.at(-1)!.version, text: this.unsentText }
    this.sentAtMs = performance.now()
    this.notifyEditors({ type: 'updates', from, updates: this.toLiveUpdates(updates) })
  }

  private updatesSince(version: number): TextUpdate[] | null {
    return (
      this.live.updatesSince(version)?.filter((update) => update.version <= this.lastSent.version) ?? null
    )
  }

  private toLiveUpdates(updates: readonly TextUpdate[]): LiveUpdate[] {
    return updates.map(({ clientId, seq, changes, memberId, origin }) => ({
      clientId,
      seq,
      changes: changes.toJSON(),
      member: { id: memberId, name: this.deps.members.find(memberId)?.name ?? '' },
      origin,
    }))
  }

  private noteChange(): void {
    if (!this.live.isSaved) this.schedule.noteChange()
  }

  private async saveNow(): Promise<void> {
    this.schedule.begin()
    if (this.live.isSaved) return this.finishWithoutSave()
    try {
      await this.saveText()
    } catch (error) {
      this.saveFailed(error)
    }
  }

  private async saveText(): Promise<void> {
    const { clock, database, saves } = this.deps
    let pending = null as PendingSave | null
    let member = null as Member | null
    const saved = await saves.save(this.id, () => {
      if (this.live.isSaved) return null
      const begun = this.live.beginSave()
      pending = begun
      member = this.mainWriter()
      return {
        member,
        bytes: bytesOf(this.text),
        committing: (revision, stored) => this.committing(begun, revision, textOf(stored.toString())),
      }
    })
    if (saved === null || pending === null || member === null) return this.finishWithoutSave()
    const { record, stored } = saved
    const text = textOf(Buffer.from(stored).toString())
    const by = { memberId: member.id, origin: 'save' as const }
    const update = this.live.finishSave(pending, { revision: record.revision, text }, by)
    this.savedAtMs = clock.now()
    if (update) this.store([update], true)
    else {
      const base = rowOf(this.id, this.live, clock.now())
      await database.commit(() => this.putBase(base), 'afterCommit')
    }
    this.failure = null
    this.sendSaved(this.live.isSaved ? this.live.version : pending.version)
    this.schedule.noteSaved(this.live.isSaved)
    this.deps.onSaved()
  }

  private finishWithoutSave(): void {
    this.failure = null
    this.schedule.noteSaved(true)
    this.sendSaved(this.live.version)
  }

  /** Runs in the commit of the revision, so that no restart takes its contents for unsaved changes. */
  private committing(
    { version, text: sentText }: PendingSave,
    revision: string,
    text: LiveText['text'],
  ): void {
    const { clock, liveTexts, revisionWriters } = this.deps
    this.savingRevision = revision
    const unsaved = textDifference(text, sentText)
    const isSaved = unsaved.empty && this.live.version === version
    liveTexts.put({
      documentId: this.id,
      epoch: this.live.epoch,
      baseRevision: revision,
      baseVersion: version,
      baseUnsaved: JSON.stringify(unsaved.toJSON()),
      isSaved: isSaved ? 1 : 0,
      changedMs: clock.now(),
    })
    const { contributions } = this.live
    if (contributions.size < 2) return
    for (const [memberId, characters] of contributions) {
      revisionWriters.put({ documentId: this.id, revision, memberId, characters })
    }
  }

  private mainWriter(): Member {
    const { members } = this.deps
    const ids = this.unsavedWriters
    const active = ids.map((id) => members.find(id)).find((member) => member !== null)
    if (active) return active
    throw new Error(`The writers of ${this.id} are unknown`)
  }

  private sendSaved(version: number): void {
    const { revision } = this.live
    this.sending = this.sending.then(() => {
      this.sendUpdates()
      this.notifyEditors({ type: 'saved', revision, version, at: this.savedAtMs })
    })
  }

  /** Keeps the text in memory and in the database, to try again. */
  private saveFailed(error: unknown): void {
    const isRefusal = error instanceof WorkspaceError
    if (isRefusal && error.code === 'not_found') return
    const { clock, database, liveTexts, onFailure, onProblem } = this.deps
    // A revision that was rolled back is no base for a restart.
    const base = rowOf(this.id, this.live, clock.now())
    database.commit(() => liveTexts.put(base), 'afterCommit').catch(onFailure)
    const willRetry = !isRefusal || error.code === 'unavailable'
    const message = isRefusal ? error.message : 'The text could not be saved. This is tried again.'
    this.notifyEditors({
      type: 'saveFailed',
      code: isRefusal ? error.code : 'internal_error',
      message,
      willRetry,
    })
    if (!isRefusal && this.failure === null) onProblem('A live text could not be saved', error)
    this.failure = willRetry ? message : null
    if (willRetry) this.schedule.retry()
  }
}

const personOf = ({ clientId, member, ranges }: LiveClient): LivePerson => ({ clientId, member, ranges })

/** @throws WorkspaceError `invalid` for what no file may contain */
function bytesOf(text: string): Buffer {
  if (text.includes('\0')) {
    throw new WorkspaceError('invalid', 'The text holds a NUL character. Remove it.')
  }
  return Buffer.from(text)
}
