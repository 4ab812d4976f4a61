import type { SavedMessage, SaveFailedMessage } from '../../../../core/live/protocol.ts'
import type { Notices } from '../notices.ts'
import type { EditorPage } from '../page.ts'
import type { SharedText } from './shared-text.ts'

export class SaveState {
  /** Whether this browser stores unconfirmed changes. */
  isStored = true
  private readonly page: EditorPage
  private readonly notices: Notices
  private readonly shared: SharedText
  private savedVersion = 0
  private savedAt: string | null = null
  private isOffline = false
  private hasFailed = false
  private waiters: ((isSaved: boolean) => void)[] = []
  private readonly announcer: SaveAnnouncer

  constructor(options: { page: EditorPage; notices: Notices; shared: SharedText }) {
    this.page = options.page
    this.notices = options.notices
    this.shared = options.shared
    this.announcer = new SaveAnnouncer((text) => this.page.announceStatus(text))
  }

  get isSaved(): boolean {
    return this.shared.isConfirmed && this.savedVersion >= this.shared.version
  }

  handleOpened({ version }: Pick<SavedMessage, 'version'>): void {
    this.isOffline = false
    this.savedVersion = version
    this.show()
  }

  handleSaved({ version }: SavedMessage): void {
    this.savedVersion = Math.max(this.savedVersion, version)
    this.savedAt = timeOfDay.format(new Date())
    this.hasFailed = false
    this.notices.clear('saving')
    this.show()
  }

  handleSaveFailed({ message }: SaveFailedMessage): void {
    this.hasFailed = true
    if (!this.notices.isShowing('saving', message)) this.notices.show('saving', message, [], 'problem')
    this.show()
    this.settle(false)
  }

  handleDisconnect(): void {
    this.isOffline = true
    this.show()
    this.settle(false)
  }

  /** The reader asked for a save, so its result is announced. */
  announceNextSave(): void {
    this.announcer.announceNextSave()
    this.show()
  }

  show(): void {
    if (!this.shared.isConfirmed) this.announcer.noteChange()
    this.announcer.update(this.kind, this.text)
    this.page.setStatus(this.text)
    if (this.isSaved) this.settle(true)
  }

  /** Resolves when everything is saved, or cannot be. */
  whenSettled(timeoutMs: number): Promise<boolean> {
    if (this.isSaved) return Promise.resolve(true)
    if (this.isOffline) return Promise.resolve(false)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs)
      this.waiters.push((isSaved) => {
        clearTimeout(timer)
        resolve(isSaved)
      })
    })
  }

  private settle(isSaved: boolean): void {
    const waiters = this.waiters
    this.waiters = []
    for (const resolve of waiters) resolve(isSaved)
  }

  private get kind(): State {
    if (this.isOffline) return 'offline'
    if (this.hasFailed) return 'failed'
    return this.isSaved ? 'saved' : 'saving'
  }

  private get text(): string {
    if (this.isOffline) {
      if (this.shared.isConfirmed) return 'Offline'
      return this.isStored
        ? 'Offline – kept in this browser'
        : 'Offline – not kept in this browser. Leave this page open.'
    }
    if (this.hasFailed) return 'Not saved'
    if (!this.isSaved) return 'Saving…'
    return this.savedAt === null ? 'Saved' : `Saved at ${this.savedAt}`
  }
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** During continuous typing, not every save is announced. */
const repeatAfterMs = 60_000

type State = 'offline' | 'saving' | 'failed' | 'saved'

/** Decides which state changes a screen reader announces. */
class SaveAnnouncer {
  private hasUnannouncedChanges = false
  private isRequested = false
  private lastAnnounced = ''
  private lastAnnouncedMs = Number.NEGATIVE_INFINITY

  constructor(private readonly announce: (text: string) => void) {}

  noteChange(): void {
    this.hasUnannouncedChanges = true
  }

  /** Makes the next complete save be announced. */
  announceNextSave(): void {
    this.isRequested = true
  }

  /** A failure is not announced here: an alert shows it with its reason. */
  update(state: State, text: string): void {
    if (state === 'failed' || state === 'offline') this.isRequested = true
    if (state === 'offline' && text !== this.lastAnnounced) this.announceNow(text)
    if (state === 'saved' && (this.isRequested || this.isDue)) {
      this.isRequested = false
      this.announceNow(text)
    }
  }

  private get isDue(): boolean {
    return this.hasUnannouncedChanges && performance.now() - this.lastAnnouncedMs >= repeatAfterMs
  }

  private announceNow(text: string): void {
    this.hasUnannouncedChanges = false
    this.lastAnnounced = text
    this.lastAnnouncedMs = performance.now()
    this.announce(text)
  }
}
