import { Compartment, StateEffect, type Text, Transaction } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import {
  closeCodes,
  type OpenedMessage,
  type ServerMessage,
  type UpdatesMessage,
} from '../../../../core/live/protocol.ts'
import { errorText, redirectToSignIn } from '../../api.ts'
import { type LiveEvent, refresh } from '../../live.ts'
import { diffTexts } from '../difference.ts'
import { type EditSession, emptyRevision } from '../edit-session.ts'
import type { Revision } from '../file.ts'
import type { EditingMode } from '../mode.ts'
import type { Choice } from '../notices.ts'
import { confirmPublication, publishDraft } from '../publication.ts'
import { CoEditors } from './co-editors.ts'
import type { ConnectionEnd } from './connection.ts'
import { GoneNotice } from './gone-notice.ts'
import type { LiveLink } from './link.ts'
import { peerCursors } from './peers.ts'
import { SaveState } from './save-state.ts'
import { SharedText } from './shared-text.ts'
import { UnsentChanges } from './unsent-changes.ts'

/** How long leaving the page waits for the server to save. */
const saveTimeoutMs = 10_000

/** Sends each change as it is made. The server saves the text. */
export class LiveEditing implements EditingMode {
  private readonly session: EditSession
  private readonly link: LiveLink
  private readonly shared: SharedText
  private readonly saveState: SaveState
  private readonly coEditors: CoEditors
  private readonly unsent: UnsentChanges
  private readonly goneNotice: GoneNotice
  private readonly compartment = new Compartment()
  private readonly listeners = new AbortController()
  private isSaveRequested = false
  /** The last saved revision, once requested. */
  private cachedRevision: Revision | null = null

  private readonly extension = [
    peerCursors,
    EditorView.updateListener.of(({ docChanged, selectionSet, transactions }) => {
      if (docChanged && transactions.some((one) => one.docChanged && !one.annotation(Transaction.remote)))
        this.sync()
      if (docChanged || selectionSet) this.coEditors?.scheduleSelection()
    }),
  ]

  /** @param base of the shown text @param switchToForm continues without live editing */
  constructor(
    session: EditSession,
    link: LiveLink,
    base: Text,
    switchToForm: (isNew: boolean) => Promise<void>,
  ) {
    this.session = session
    this.link = link
    this.shared = new SharedText(session.view, link.clientId, diffTexts)
    this.saveState = new SaveState({ page: session.page, notices: session.notices, shared: this.shared })
    this.goneNotice = new GoneNotice(session, switchToForm)
    session.view.dispatch({ effects: StateEffect.appendConfig.of(this.compartment.of(this.extension)) })
    this.coEditors = new CoEditors(session, this.shared, link, () => this.loadSavedRevision())
    this.unsent = new UnsentChanges(session, this.shared, link, (isStored) => {
      this.saveState.isStored = isStored
      this.saveState.show()
    })
    session.page.showLive(true)
    const close = (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      void this.finish()
    }
    session.page.closeLink.addEventListener('click', close, { signal: this.listeners.signal })
    link.attach({
      getPosition: () => this.shared.position,
      onOpened: (message) => this.handleOpened(message),
      onMessage: (message) => this.handle(message),
      onLost: () => this.handleDisconnect(),
      onEnded: (end) => this.handleEnd(end),
      onReset: () => this.shared.forget(),
    })
    this.handleOpened(link.firstMessage!, base)
  }

  handleChange(): void {
    this.saveState.show()
  }

  async save(): Promise<boolean> {
    const { session, link, saveState } = this
    if (!(await session.flushFields())) return false
    saveState.announceNextSave()
    if (saveState.isSaved) return true
    if (!link.isOpen) return false
    this.isSaveRequested = true
    this.sync()
    return saveState.whenSettled(saveTimeoutMs)
  }

  async finish(): Promise<void> {
    const { session } = this
    if (await this.saveAll({ label: 'Close', action: () => void this.finish() }))
      session.navigateTo(session.file.details.back)
  }

  async publish(): Promise<void> {
    const { session } = this
    if (!(await confirmPublication(session))) return
    if (!(await this.saveAll({ label: 'Publish', action: () => void this.publish() }))) return
    session.page.lock(true)
    this.goneNotice.isExpected = true
    try {
      session.navigateTo(await publishDraft(session))
    } catch (error) {
      this.goneNotice.isExpected = false
      session.page.lock(false)
      session.notices.show('saving', errorText(error), [], 'problem')
    }
  }

  whenIdle(): Promise<void> {
    return Promise.resolve()
  }

  async loadSavedRevision(): Promise<Revision> {
    const { session } = this
    if (this.cachedRevision?.name !== session.base.name)
      this.cachedRevision = (await session.file.read()) ?? emptyRevision
    return this.cachedRevision
  }

  /** Only moves of the file matter here: text arrives as updates. */
  handleEvent({ path, url }: LiveEvent): void {
    const { session } = this
    const { file } = session
    if (typeof path !== 'string' || typeof url !== 'string' || path === file.details.path) return
    if (session.noun === 'draft' && path.includes('/posts/')) return
    file.moveTo({ path, url })
    session.updateAddress()
    void refresh()
  }

  end(): void {
    this.listeners.abort()
    this.unsent.end()
    this.link.end()
    this.coEditors.end()
    this.shared.leave()
    this.session.view.dispatch({ effects: this.compartment.reconfigure([]) })
    this.session.page.showLive(false)
  }

  private handleOpened(message: OpenedMessage, base?: Text): void {
    const { session, shared } = this
    try {
      shared.handleOpened(message, base)
    } catch {
      // The updates do not fit this text, so the whole text is requested.
      shared.forget()
      this.link.restart()
      return
    }
    session.base = { ...emptyRevision, name: message.saved.revision }
    this.saveState.handleOpened(message.saved)
    this.coEditors.handleOpened(message)
    this.sync()
    void this.unsent.resend()
  }

  private handle(message: Exclude<ServerMessage, OpenedMessage>): void {
    if (message.type === 'updates') this.receiveUpdates(message)
    else if (message.type === 'selection') this.coEditors.handleSelection(message)
    else if (message.type === 'joined') this.coEditors.handleJoined(message)
    else if (message.type === 'left') this.coEditors.handleLeft(message)
    else if (message.type === 'saveFailed') this.saveState.handleSaveFailed(message)
    else if (message.type === 'gone') {
      if (this.goneNotice.handle(message)) this.link.end()
    } else if (message.type === 'saved') {
      this.session.base = { ...emptyRevision, name: message.revision }
      this.saveState.handleSaved(message)
    }
  }

  private receiveUpdates(message: UpdatesMessage): void {
    if (!this.applyUpdates(message)) {
      this.link.restart()
      return
    }
    this.coEditors.announceWrites(message)
    this.coEditors.scheduleSelection()
    this.sync()
  }

  private applyUpdates({ from, updates }: UpdatesMessage): boolean {
    try {
      return this.shared.receive(from, updates)
    } catch {
      // The updates do not fit this text, so the whole text is requested.
      this.shared.forget()
      return false
    }
  }

  private sync(): void {
    this.sendNext()
    // The server saves what it has received, so it must have everything first.
    if (this.isSaveRequested && this.shared.isConfirmed)
      this.isSaveRequested = !this.link.send({ type: 'save' })
    this.unsent.scheduleStore()
    this.saveState.show()
  }

  private sendNext(): void {
    if (!this.link.isOpen) return
    const next = this.shared.nextPush()
    if (next) this.link.send(next)
  }

  private async saveAll(retry: Choice): Promise<boolean> {
    const { session, link } = this
    if (!(await session.uploads.whenIdle())) return false
    if (await this.save()) return true
    const message = link.isOpen
      ? 'Your last changes are not saved yet.'
      : 'The server cannot be reached. Your changes are kept in this browser and will be sent when it can be reached again.'
    if (!session.notices.has('saving')) session.notices.show('saving', message, [retry], 'problem')
    return false
  }

  private handleDisconnect(): void {
    this.unsent.storeNow()
    this.coEditors.handleDisconnect()
    this.saveState.handleDisconnect()
  }

  private handleEnd({ code, message }: ConnectionEnd): void {
    this.handleDisconnect()
    if (code === closeCodes.signedOut) redirectToSignIn()
    else if (code === closeCodes.gone) this.goneNotice.handle({ reason: 'deleted', by: null })
    else this.goneNotice.showRefusal(message)
  }
}
