/** During continuous typing, not every save is announced. */
const repeatAfterMs = 60_000

type State = 'offline' | 'saving' | 'failed' | 'saved'

/** Decides which state changes a screen reader announces. */
export class SaveAnnouncer {
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
