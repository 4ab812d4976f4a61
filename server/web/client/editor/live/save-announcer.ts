/** During continuous typing, not every save is announced. */
const repeatAfterMs = 60_000

type State = 'offline' | 'saving' | 'failed' | 'saved'

/** Decides which state changes a screen reader announces. */
export class SaveAnnouncer {
  private readonly announce: (words: string) => void
  private hasWritten = false
  private isAwaited = false
  private said = ''
  private saidMs = Number.NEGATIVE_INFINITY

  constructor(announce: (words: string) => void) {
    this.announce = announce
  }

  written(): void {
    this.hasWritten = true
  }

  /** Makes the next complete save be announced. */
  await(): void {
    this.isAwaited = true
  }

  /** A failure is not announced here: an alert shows it with its reason. */
  take(state: State, words: string): void {
    if (state === 'failed' || state === 'offline') this.isAwaited = true
    if (state === 'offline' && words !== this.said) this.say(words)
    if (state === 'saved' && (this.isAwaited || this.isDue)) {
      this.isAwaited = false
      this.say(words)
    }
  }

  private get isDue(): boolean {
    return this.hasWritten && performance.now() - this.saidMs >= repeatAfterMs
  }

  private say(words: string): void {
    this.hasWritten = false
    this.said = words
    this.saidMs = performance.now()
    this.announce(words)
  }
}
