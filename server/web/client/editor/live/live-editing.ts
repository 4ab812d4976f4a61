import { Compartment, StateEffect, type Text, Transaction } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import {
  closeCodes,
  type OpenedMessage,
  type ServerMessage,
  type UpdatesMessage,
} from '../../../../../core/live/protocol.ts'
import { errorText, signInAgain } from '../../api.ts'
import { type LiveEvent, refresh } from '../../live.ts'
import { difference } from '../difference.ts'
import { type EditSession, emptyRevision } from '../edit-session.ts'
import type { Revision } from '../file.ts'
import type { EditingMode } from '../mode.ts'
import type { Choice } from '../notices.ts'
import { confirmPublication, publishDraft } from '../publication.ts'
import { CoEditors } from './co-editors.ts'
import type { ConnectionEnd } from './connection.ts'
import { Departure } from './departure.ts'
import type { LiveLink } from './link.ts'
import { peerCursors } from './peers.ts'
import { SaveState } from './save-state.ts'
import { SharedText } from './shared-text.ts'
import { UnsentChanges } from './unsent-changes.ts'

/** How long leaving the page waits for the server to save. */
const finishMs = 10_000

/** Sends each change as it is made. The server saves the text. */
export class LiveEditing implements EditingMode {
  private readonly work: EditSession
  private readonly link: LiveLink
  private readonly shared: SharedText
  private readonly state: SaveState
  private readonly people: CoEditors
  private readonly unsent: UnsentChanges
  private readonly departure: Departure
  private readonly slot = new Compartment()
  private readonly listening = new AbortController()
  private isSaveWanted = false
  /** The last saved revision, once requested. */
  private read: Revision | null = null

  private readonly extension = [
    peerCursors,
    EditorView.updateListener.of(({ docChanged, selectionSet, transactions }) => {
      if (docChanged && transactions.some((one) => one.docChanged && !one.annotation(Transaction.remote)))
        this.written()
      if (docChanged || selectionSet) this.people?.moved()
    }),
  ]

  /** @param base of the shown text @param useForm continues without live editing */
  constructor(work: EditSession, link: LiveLink, base: Text, useForm: (isNew: boolean) => Promise<void>) {
    this.work = work
    this.link = link
    this.shared = new SharedText(work.view, link.clientId, difference)
    this.state = new SaveState({ page: work.page, notices: work.notices, shared: this.shared })
    this.departure = new Departure(work, useForm)
    work.view.dispatch({ effects: StateEffect.appendConfig.of(this.slot.of(this.extension)) })
    this.people = new CoEditors(work, this.shared, link, () => this.savedRevision())
    this.unsent = new UnsentChanges(work, this.shared, link, (isKept) => {
      this.state.isKept = isKept
      this.state.show()
    })
    work.page.showLive(true)
    const close = (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      void this.finish()
    }
    work.page.close.addEventListener('click', close, { signal: this.listening.signal })
    link.attach({
      position: () => this.shared.position,
      opened: (message) => this.opened(message),
      message: (message) => this.take(message),
      lost: () => this.lost(),
      ended: (end) => this.ended(end),
      reset: () => this.shared.forget(),
    })
    this.opened(link.first!, base)
  }

  changed(): void {
    this.state.show()
  }

  async save(): Promise<boolean> {
    const { work, link, state } = this
    if (!(await work.settleFields())) return false
    state.asked()
    if (state.isSaved) return true
    if (!link.isOpen) return false
    this.isSaveWanted = true
    this.written()
    return state.whenSettled(finishMs)
  }

  async finish(): Promise<void> {
    const { work } = this
    if (await this.saveAll({ words: 'Close', action: () => void this.finish() }))
      work.leaveFor(work.file.details.back)
  }

  async publish(): Promise<void> {
    const { work } = this
    if (!(await confirmPublication(work))) return
    if (!(await this.saveAll({ words: 'Publish', action: () => void this.publish() }))) return
    work.page.lock(true)
    this.departure.isExpected = true
    try {
      work.leaveFor(await publishDraft(work))
    } catch (error) {
      this.departure.isExpected = false
      work.page.lock(false)
      work.notices.show('saving', errorText(error), [], 'problem')
    }
  }

  idle(): Promise<void> {
    return Promise.resolve()
  }

  async savedRevision(): Promise<Revision> {
    const { work } = this
    if (this.read?.name !== work.base.name) this.read = (await work.file.read()) ?? emptyRevision
    return this.read
  }

  /** Only moves of the file matter here: text arrives as updates. */
  handleEvent({ path, url }: LiveEvent): void {
    const { work } = this
    const { file } = work
    if (typeof path !== 'string' || typeof url !== 'string' || path === file.details.path) return
    if (work.noun === 'draft' && path.includes('/posts/')) return
    file.moveTo({ path, url })
    work.updateAddress()
    void refresh()
  }

  end(): void {
    this.listening.abort()
    this.unsent.end()
    this.link.end()
    this.people.end()
    this.shared.leave()
    this.work.view.dispatch({ effects: this.slot.reconfigure([]) })
    this.work.page.showLive(false)
  }

  private opened(message: OpenedMessage, base?: Text): void {
    const { work, shared } = this
    try {
      shared.opened(message, base)
    } catch {
      // The updates do not fit this text, so the whole text is requested.
      shared.forget()
      this.link.restart()
      return
    }
    work.base = { ...emptyRevision, name: message.saved.revision }
    this.state.opened(message.saved)
    this.people.opened(message)
    this.written()
    void this.unsent.resend()
  }

  private take(message: Exclude<ServerMessage, OpenedMessage>): void {
    if (message.type === 'updates') this.receive(message)
    else if (message.type === 'selection') this.people.selected(message)
    else if (message.type === 'joined') this.people.joined(message)
    else if (message.type === 'left') this.people.left(message)
    else if (message.type === 'saveFailed') this.state.failed(message)
    else if (message.type === 'gone') {
      if (this.departure.take(message)) this.link.end()
    } else if (message.type === 'saved') {
      this.work.base = { ...emptyRevision, name: message.revision }
      this.state.saved(message)
    }
  }

  private receive(message: UpdatesMessage): void {
    if (!this.isTaken(message)) {
      this.link.restart()
      return
    }
    this.people.wrote(message)
    this.people.moved()
    this.written()
  }

  private isTaken({ from, updates }: UpdatesMessage): boolean {
    try {
      return this.shared.receive(from, updates)
    } catch {
      // The updates do not fit this text, so the whole text is requested.
      this.shared.forget()
      return false
    }
  }

  private written(): void {
    this.push()
    // The server saves what it has received, so it must have everything first.
    if (this.isSaveWanted && this.shared.isConfirmed) this.isSaveWanted = !this.link.send({ type: 'save' })
    this.unsent.changed()
    this.state.show()
  }

  private push(): void {
    if (!this.link.isOpen) return
    const next = this.shared.nextPush()
    if (next) this.link.send(next)
  }

  private async saveAll(again: Choice): Promise<boolean> {
    const { work, link } = this
    if (!(await work.uploads.idle())) return false
    if (await this.save()) return true
    const words = link.isOpen
      ? 'Your last changes are not saved yet.'
      : 'The server cannot be reached. Your changes are kept in this browser and will be sent when it can be reached again.'
    if (!work.notices.has('saving')) work.notices.show('saving', words, [again], 'problem')
    return false
  }

  private lost(): void {
    this.unsent.keep()
    this.people.lost()
    this.state.lost()
  }

  private ended({ code, message }: ConnectionEnd): void {
    this.lost()
    if (code === closeCodes.signedOut) signInAgain()
    else if (code === closeCodes.gone) this.departure.take({ reason: 'deleted', by: null })
    else this.departure.refused(message)
  }
}
