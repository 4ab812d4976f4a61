import { csrfToken } from '../../api.ts'
import type { EditSession } from '../edit-session.ts'
import { type KeptUpdates, KeptUpdatesStore } from './kept-updates.ts'
import { type LiveLink, openSocket } from './link.ts'
import { redeliver } from './redelivery.ts'
import type { SharedText } from './shared-text.ts'

const keepAfterMs = 400

/** Stores unconfirmed changes in this browser, and sends those of closed pages. */
export class UnsentChanges {
  private readonly work: EditSession
  private readonly shared: SharedText
  private readonly documentId: string
  private readonly store: KeptUpdatesStore
  private readonly kept: (isKept: boolean) => void
  private readonly listening = new AbortController()
  private timer: ReturnType<typeof setTimeout> | undefined
  private isResending = false

  /** @param kept receives whether the browser stored all changes */
  constructor(work: EditSession, shared: SharedText, link: LiveLink, kept: (isKept: boolean) => void) {
    this.work = work
    this.shared = shared
    this.documentId = link.documentId
    this.store = new KeptUpdatesStore(link.documentId, link.clientId)
    this.kept = kept
    const { signal } = this.listening
    addEventListener('pagehide', () => this.keep(), { signal })
    addEventListener(
      'beforeunload',
      (event) => {
        if (work.isLeaving) return
        if (!this.keep() || work.uploads.isBusy) event.preventDefault()
      },
      { signal },
    )
    addEventListener(
      'sessionended',
      () => {
        this.keep()
        work.lockForLeaving()
      },
      { signal },
    )
    addEventListener('pageshow', ({ persisted }) => persisted && work.unlock(), { signal })
  }

  changed(): void {
    if (this.shared.isConfirmed) {
      clearTimeout(this.timer)
      this.timer = undefined
      this.store.remove()
    } else this.timer ??= setTimeout(() => this.keep(), keepAfterMs)
  }

  /** Returns false if there are changes that the browser did not store. */
  keep(): boolean {
    clearTimeout(this.timer)
    this.timer = undefined
    const { pending, clientId, syncedText } = this.shared
    if (!pending) return true
    const isKept = this.store.store({ ...pending, clientId, base: syncedText.toString() })
    this.kept(isKept)
    return isKept
  }

  async resend(): Promise<void> {
    if (this.isResending) return
    this.isResending = true
    for (const left of await this.store.left()) await this.resendOne(left)
    this.isResending = false
  }

  end(): void {
    this.keep()
    this.listening.abort()
  }

  private async resendOne(left: KeptUpdates): Promise<void> {
    const delivery = await redeliver(left, csrfToken ?? '', () => openSocket(this.documentId))
    if (delivery.kind === 'delivered') this.store.remove(left.key)
    if (delivery.kind !== 'unknown') return
    const words = `You have unsaved changes from ${moment.format(left.at)}.`
    const restore = () => {
      this.shared.adopt(delivery.base, delivery.written)
      this.store.remove(left.key)
      this.work.view.focus()
    }
    this.work.notices.show(`unsaved ${left.key}`, words, [
      { words: 'Restore', action: restore },
      { words: 'Discard', action: () => this.store.remove(left.key) },
    ])
  }
}

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
