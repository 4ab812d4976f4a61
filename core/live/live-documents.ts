import { isUtf8 } from 'node:buffer'
import type { Database } from '../../data/database.ts'
import type { DocumentRecord, DocumentsTable } from '../../data/tables/documents.ts'
import type { LiveTextsTable } from '../../data/tables/live-texts.ts'
import type { RevisionWritersTable } from '../../data/tables/revision-writers.ts'
import type { Caller, Member } from '../access/member.ts'
import { maySeeDraft } from '../access/permissions.ts'
import type { ChangeTopics, Topic } from '../change-topics/change-topics.ts'
import { PendingWork } from '../concurrency/pending-work.ts'
import type { AddressResolver } from '../documents/addressing/address-resolver.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import type { RevisionContents } from '../documents/catalogue/revision-contents.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import type { Change } from '../documents/model/change.ts'
import { pagePath, treeFolderFor } from '../documents/model/document-paths.ts'
import type { DocumentPresence } from '../documents/presence/presence.ts'
import type { FoundSave } from '../documents/storage/displaced.ts'
import type { OvertakenRevision } from '../documents/storage/recovery.ts'
import type { TextSaves } from '../documents/writing/text-saves.ts'
import type { Writes } from '../documents/writing/writes.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Problem } from '../health/types.ts'
import type { RandomBytes } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Clock } from '../time/clock.ts'
import { type Editor, type EditorConnection, Editors, type EndReason } from './editors.ts'
import { type GoneDetails, GoneTexts } from './gone-texts.ts'
import { countLive, type LiveCounts, savingProblems } from './live-counts.ts'
import { LiveDocument } from './live-document.ts'
import { PresentAgents } from './present-agents.ts'
import type { LiveRange, PushMessage } from './protocol.ts'
import { requireText, restoreText, rowOf } from './stored-text.ts'
import { StoredTextPurge } from './stored-text-purge.ts'

interface LiveDocumentsDeps {
  clock: Clock
  random: RandomBytes
  database: Database
  liveTexts: LiveTextsTable
  revisionWriters: RevisionWritersTable
  contents: RevisionContents
  catalogue: Catalogue
  documents: Pick<DocumentsTable, 'find'>
  members: MemberStore
  projects: ProjectStore
  changeTopics: ChangeTopics
  addressing: Pick<AddressResolver, 'requireProject'>
  disk: Pick<DiskSync, 'reconcile'>
  presence: Pick<DocumentPresence, 'recordWrite' | 'membersIn'>
  saves: TextSaves
  writes: Pick<Writes, 'put'>
  checkDisplaced: () => Promise<void>
  maxBytes: number
  renewCaller: (caller: Caller) => Caller | null
  onProblem: (message: string, error?: unknown) => void
}

export interface LiveSession {
  push(message: PushMessage): void
  select(version: number, ranges: LiveRange[]): void
  save(): void
  recheck(): void
  close(): void
}

/** How often a member who is typing is recorded as present. */
const presentEveryMs = 20_000
const maxPresent = 2000

/** Documents that are edited together (`docs/architecture.md#editing-together`). */
export class LiveDocuments {
  private readonly deps: LiveDocumentsDeps
  private readonly open = new Map<string, LiveDocument>()
  private readonly editors = new Editors()
  private readonly agents: PresentAgents
  private readonly lastPresentMs = new Map<string, number>()
  private readonly closing = new PendingWork()
  private readonly goneTexts: GoneTexts
  private readonly purge: StoredTextPurge
  /** Saves that recovery found before the start. */
  private readonly savesBeforeStart: (() => Promise<void>)[] = []
  private readonly overtakenRevisions = new Map<string, OvertakenRevision>()
  private isStarted = false
  private isStopped = false
  private isClosed = false

  constructor(deps: LiveDocumentsDeps) {
    this.deps = deps
    this.agents = new PresentAgents(deps)
    this.goneTexts = new GoneTexts(deps)
    this.purge = new StoredTextPurge(deps)
    deps.changeTopics.onChange((topics) => this.follow(topics))
  }

  async start(): Promise<void> {
    this.isStarted = true
    for (const id of this.overtakenRevisions.keys()) await this.attempt(id, () => this.recoverOvertaken(id))
    for (const apply of this.savesBeforeStart.splice(0)) await apply()
    for (const id of this.deps.liveTexts.unsaved()) await this.attempt(id, () => this.recover(id))
    this.purge.start()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.purge.stop()
    const saveAll = () => Promise.all([...this.open.values()].map((document) => document.save()))
    await saveAll()
    // Finds what was saved on the disk during these saves.
    await this.deps.checkDisplaced()
    this.isClosed = true
    await this.closing.ended()
    await saveAll()
    for (const document of this.open.values()) {
      this.endAll(document, 'restart', 'The server is restarting.')
      await document.end()
    }
    await this.closing.ended()
    this.open.clear()
  }

  get counts(): LiveCounts {
    return countLive([...this.open.values()], this.editors.count, this.deps.clock.now())
  }

  problems(): Problem[] {
    return savingProblems([...this.open.values()], this.deps.clock.now())
  }

  isLive(documentId: string): boolean {
    const document = this.open.get(documentId)
    return document !== undefined && this.editors.countIn(document) > 0
  }

  /** @throws WorkspaceError `not_found`, `forbidden`, `conflict`, `invalid`, `too_many_requests` */
  async join(
    caller: Caller,
    documentId: string,
    resumeFrom: { epoch?: string; version?: number },
    connection: EditorConnection,
  ): Promise<LiveSession> {
    await this.deps.disk.reconcile(this.requireEditable(caller, documentId))
    const record = this.requireEditable(caller, documentId)
    const document = this.open.get(documentId) ?? this.load(record)
    this.editors.requireCapacity(document, caller.member)
    const editor: Editor = {
      caller,
      connection,
      clientId: connection.clientId,
      member: { id: caller.member.id, name: caller.member.name, kind: caller.member.type },
      ranges: [],
      send: (message) => connection.send(message),
    }
    for (const former of this.editors.of(document)) {
      if (former.clientId === editor.clientId) this.leave(document, former)
    }
    this.editors.add(document, editor)
    document.join(editor, resumeFrom, this.agents.in(document))
    this.agents.update(document)
    return this.sessionOf(document, editor)
  }

  /** Must be called in the turn of a write, once it is in the catalogue. */
  handleCommitted(record: DocumentRecord, change: Change): void {
    const document = this.open.get(record.id)
    if (!document) return
    const { before, content, actorId, via } = change
    const member = this.deps.members.find(actorId)
    const by = member && { id: member.id, name: member.name }
    const source = { by, ...(via === 'disk' && { isOnDisk: true as const }) }
    if (record.deletedMs !== null) {
      this.endGone(document, record, { reason: 'deleted', ...source })
      return
    }
    if (content) document.applyWrite(record, content.stored, via === 'disk' ? 'file' : 'put')
    const to = pagePath(this.deps.projects.find(record.projectId)!, record)
    if (record.kind === 'post') this.endGone(document, record, { reason: 'published', ...source, to })
    else if (before && before.path !== record.path) {
      const reason = folderOf(before.path) === folderOf(record.path) ? 'renamed' : 'moved'
      document.notifyGone({ reason, ...source, to })
    }
  }

  /** For an edit saved on the disk while a write replaced the file. */
  handleDisplaced(save: FoundSave): void {
    if (!this.isEditedTogether(save)) return
    const { id } = save.record
    const document = this.open.get(id)
    if (document) save.keepUntil(this.applyDisplaced(document, save))
    else if (!this.isStarted) save.keepUntil(this.whenStarted(() => this.reopenAndApply(save)))
    // The next start finds it again.
    else if (this.isClosed) save.keepUntil(new Promise(() => {}))
    else save.keepUntil(this.reopenAndApply(save))
  }

  /** Unless the text was live recently, what a write replaced is just an earlier revision. */
  private isEditedTogether({ record: { id }, base, bytes }: FoundSave): boolean {
    if (base === null || !isUtf8(bytes)) return false
    return this.open.has(id) || this.deps.liveTexts.find(id) !== undefined
  }

  private whenStarted(apply: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.savesBeforeStart.push(() => apply().then(resolve, reject))
    })
  }

  /** For a document that a person saved on the disk before the server ended. */
  handleOvertaken(revision: OvertakenRevision): void {
    this.overtakenRevisions.set(revision.documentId, revision)
  }

  private async applyDisplaced(document: LiveDocument, save: FoundSave): Promise<void> {
    const { base, bytes, memberId, revision } = save
    const before = this.deps.contents.find(document.id, base!)
    if (!before || !isUtf8(before.stored)) return
    const text = Buffer.from(bytes).toString()
    await document.applyDisplaced(before.stored.toString(), { revision, text }, memberId)
  }

  /** For a save on the disk while the last editor left, even if the file has been written since. */
  private reopenAndApply(save: FoundSave): Promise<void> {
    const { id } = save.record
    let stored = Promise.resolve()
    const reopening = this.attempt(id, async () => {
      const record = this.deps.catalogue.find(id)
      if (!record || record.kind === 'post') return
      const document = this.open.get(id) ?? this.load(record)
      stored = this.applyDisplaced(document, save)
      await stored
      await this.close(document)
    })
    return this.closing.add(reopening).then(() => stored)
  }

  private async attempt(id: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error) =>
      this.deps.onProblem(`What was written in ${id} could not be saved yet`, error),
    )
  }

  private sessionOf(document: LiveDocument, editor: Editor): LiveSession {
    const attempt = (work: () => void) => {
      try {
        work()
      } catch (error) {
        this.refuse(document, editor, error)
      }
    }
    return {
      push: (message) =>
        attempt(() => {
          document.push(editor, message)
          this.recordPresence(document.id, editor.caller.member)
        }),
      select: (version, ranges) => document.select(editor, version, ranges),
      save: () => void document.save(),
      recheck: () => this.recheck(document, editor),
      close: () => this.leave(document, editor),
    }
  }

  private refuse(document: LiveDocument, editor: Editor, error: unknown): void {
    const reason = error instanceof WorkspaceError && error.code === 'too_large' ? 'too large' : 'bad version'
    if (!(error instanceof WorkspaceError)) this.deps.onProblem('A change of a live text failed', error)
    this.leave(document, editor)
    editor.connection.end(reason, error instanceof WorkspaceError ? error.message : 'Open the text anew.')
  }

  private load(record: DocumentRecord, overtaken?: OvertakenRevision): LiveDocument {
    const { database, clock, contents, liveTexts, onProblem, random } = this.deps
    const newEpoch = () => Buffer.from(random(12)).toString('hex')
    const text = restoreText({ liveTexts, contents, newEpoch }, record, overtaken)
    const document: LiveDocument = new LiveDocument(record.id, text, record.editedMs ?? record.createdMs, {
      ...this.deps,
      onFailure: (error) => {
        onProblem('What was typed could not be stored', error)
        this.drop(record.id)
      },
      onSaved: () => this.closeUnused(document),
    })
    // The current state: what follows is stored as updates.
    const row = rowOf(record.id, text, clock.now())
    database
      .commit(() => {
        // The stored updates belong to another text.
        if (liveTexts.find(record.id)?.epoch !== text.epoch) liveTexts.remove(record.id)
        liveTexts.put(row)
      }, 'afterCommit')
      .catch((error) => {
        onProblem('A live text could not be opened', error)
        this.drop(record.id)
      })
    this.open.set(record.id, document)
    document.applyWrite(record, contents.get(record.id, record.revision).stored, 'file')
    return document
  }

  /** Memory and database differ, so editors have to open the stored text again. */
  private drop(id: string): void {
    const document = this.open.get(id)
    if (!document) return
    this.open.delete(id)
    this.endAll(document, 'restart', 'The text could not be stored. It is tried again.')
    void document.end()
  }

  private async recoverOvertaken(id: string): Promise<void> {
    const before = this.deps.catalogue.find(id)
    const overtaken = this.overtakenRevisions.get(id)
    if (before) await this.deps.disk.reconcile(before)
    const record = this.deps.catalogue.find(id)
    const isLive = this.deps.liveTexts.find(id)?.baseRevision === overtaken?.revision
    if (isLive && record && record.kind !== 'post' && record.revision !== overtaken?.revision) {
      await this.close(this.load(record, overtaken))
    }
    this.overtakenRevisions.delete(id)
  }

  private async recover(id: string): Promise<void> {
    const record = this.deps.catalogue.find(id)
    if (!record || record.kind === 'post') {
      await this.goneTexts.keepAsDrafts(id)
      return
    }
    requireText(this.deps.contents.get(id, record.revision).stored)
    await this.close(this.load(record))
  }

  private leave(document: LiveDocument, editor: Editor): void {
    if (!this.editors.remove(document, editor)) return
    document.leave(editor)
    this.closeUnused(document)
  }

  private closeUnused(document: LiveDocument): void {
    if (this.isStopped || this.editors.countIn(document) > 0) return
    void this.closing.add(this.close(document))
  }

  private async close(document: LiveDocument): Promise<void> {
    // The next editor to open it begins with what is stored.
    do {
      await document.save()
      await document.whenStored()
    } while (document.isSaved && !document.isStored)
    if (!document.isSaved || this.editors.countIn(document) > 0) return
    if (this.open.get(document.id) !== document) return
    this.open.delete(document.id)
    this.editors.removeAll(document)
    this.agents.remove(document)
    await document.end()
  }

  private endGone(document: LiveDocument, record: DocumentRecord, details: GoneDetails): void {
    this.open.delete(document.id)
    // First, since a later check of permissions would end these sessions as not allowed.
    const editors = this.editors.removeAll(document)
    this.agents.remove(document)
    void this.closing.add(
      this.goneTexts
        .end(document, record, { editors, details })
        .catch((error) => this.deps.onProblem('A live text could not be closed', error)),
    )
  }

  private endAll(document: LiveDocument, reason: EndReason, message: string): void {
    const editors = this.editors.removeAll(document)
    this.agents.remove(document)
    for (const { connection } of editors) connection.end(reason, message)
  }

  private recheck(document: LiveDocument, editor: Editor): void {
    const caller = this.deps.renewCaller(editor.caller)
    try {
      if (!caller) throw new WorkspaceError('unauthorized', 'You are signed out. Sign in again.')
      editor.caller = caller
      this.requireEditable(caller, document.id)
    } catch (error) {
      if (!(error instanceof WorkspaceError) || error.code === 'unavailable') return
      this.leave(document, editor)
      editor.connection.end(caller ? 'not allowed' : 'signed out', error.message)
    }
  }

  recheckAll(): void {
    for (const document of this.editors.documents())
      for (const editor of this.editors.of(document)) this.recheck(document, editor)
  }

  /** Permissions may have changed, and agents come and go. */
  private follow(topics: ReadonlySet<Topic>): void {
    const isAccessChange = [...topics].some((topic) => /^(?:member:|project:|workspace)/.test(topic))
    if (isAccessChange) {
      this.recheckAll()
      // A project in which a text could not be saved may be back.
      for (const document of this.open.values()) if (!document.isSaved) this.closeUnused(document)
    }
    for (const document of this.editors.documents()) {
      if (isAccessChange || topics.has(`here:${document.id}`) || topics.has(`document:${document.id}`))
        this.agents.update(document)
    }
  }

  private recordPresence(documentId: string, member: Member): void {
    const key = `${documentId} ${member.id}`
    const now = this.deps.clock.now()
    if (now - (this.lastPresentMs.get(key) ?? 0) < presentEveryMs) return
    if (this.lastPresentMs.size > maxPresent) this.lastPresentMs.clear()
    this.lastPresentMs.set(key, now)
    const record = this.deps.catalogue.find(documentId)
    if (record) this.deps.presence.recordWrite(member, record)
  }

  private requireEditable(caller: Caller, documentId: string): DocumentRecord {
    const record = this.deps.catalogue.find(documentId)
    const project = record && this.deps.projects.find(record.projectId)
    const isHidden = record?.kind === 'draft' && !maySeeDraft(caller.member, record.authorId)
    if (!record || !project || isHidden || record.kind === 'home') {
      throw new WorkspaceError('not_found', 'There is no document for live editing here.')
    }
    this.deps.addressing.requireProject(caller, project.slug, treeFolderFor[record.kind], 'write')
    if (record.kind === 'post') {
      throw new WorkspaceError('conflict', 'A published post cannot be changed.')
    }
    return record
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
