import type { SavedMessage, SaveFailedMessage } from '../../../../../core/live/protocol.ts'
import type { Notices } from '../notices.ts'
import type { EditorPage } from '../page.ts'
import { SaveAnnouncer } from './save-announcer.ts'
import type { SharedText } from './shared-text.ts'

export class SaveState {
  /** Whether this browser stores unconfirmed changes. */
  isKept = true
  private readonly page: EditorPage
  private readonly notices: Notices
  private readonly shared: SharedText
  private savedVersion = 0
  private savedAt: string | null = null
  private isOffline = false
  private hasFailed = false
  private waiting: ((isSaved: boolean) => void)[] = []
  private readonly announcer: SaveAnnouncer

  constructor(parts: { page: EditorPage; notices: Notices; shared: SharedText }) {
    this.page = parts.page
    this.notices = parts.notices
    this.shared = parts.shared
    this.announcer = new SaveAnnouncer((words) => this.page.announceStatus(words))
  }

  get isSaved(): boolean {
    return this.shared.isConfirmed && this.savedVersion >= this.shared.version
  }

  opened({ version }: Pick<SavedMessage, 'version'>): void {
    this.isOffline = false
    this.savedVersion = version
    this.show()
  }

  saved({ version }: SavedMessage): void {
    this.savedVersion = Math.max(this.savedVersion, version)
    this.savedAt = timeOfDay.format(new Date())
    this.hasFailed = false
    this.notices.clear('saving')
    this.show()
  }

  failed({ message }: SaveFailedMessage): void {
    this.hasFailed = true
    if (!this.notices.isShowing('saving', message)) this.notices.show('saving', message, [], 'problem')
    this.show()
    this.settle(false)
  }

  lost(): void {
    this.isOffline = true
    this.show()
    this.settle(false)
  }

  /** The reader asked for a save, so its result is announced. */
  asked(): void {
    this.announcer.await()
    this.show()
  }

  show(): void {
    if (!this.shared.isConfirmed) this.announcer.written()
    this.announcer.take(this.kind, this.words)
    this.page.setStatus(this.words)
    if (this.isSaved) this.settle(true)
  }

  /** Resolves when everything is saved, or cannot be. */
  whenSettled(timeoutMs: number): Promise<boolean> {
    if (this.isSaved) return Promise.resolve(true)
    if (this.isOffline) return Promise.resolve(false)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs)
      this.waiting.push((isSaved) => {
        clearTimeout(timer)
        resolve(isSaved)
      })
    })
  }

  private settle(isSaved: boolean): void {
    const waiting = this.waiting
    this.waiting = []
    for (const resolve of waiting) resolve(isSaved)
  }

  private get kind(): 'offline' | 'saving' | 'failed' | 'saved' {
    if (this.isOffline) return 'offline'
    if (this.hasFailed) return 'failed'
    return this.isSaved ? 'saved' : 'saving'
  }

  private get words(): string {
    if (this.isOffline) {
      if (this.shared.isConfirmed) return 'Offline'
      return this.isKept
        ? 'Offline – kept in this browser'
        : 'Offline – not kept in this browser. Leave this page open.'
    }
    if (this.hasFailed) return 'Not saved'
    if (!this.isSaved) return 'Saving…'
    return this.savedAt === null ? 'Saved' : `Saved at ${this.savedAt}`
  }
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
