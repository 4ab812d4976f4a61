import { call } from '../api.ts'

export class ReadMarkers {
  private inRoom: string | null = null
  private inThread: string | null = null
  private isPaused = false

  constructor(private readonly roomId: string) {}

  get last(): string | null {
    return this.inRoom
  }

  markRoom(messageId: string | null): void {
    if (!this.isPaused) this.inRoom = this.mark(messageId, this.inRoom)
  }

  /** Stops marking messages as read until `resume`, after the reader has marked some as unread. */
  pause(): void {
    this.isPaused = true
    this.inRoom = null
  }

  resume(): void {
    this.isPaused = false
  }

  markThread(messageId: string | null): void {
    this.inThread = this.mark(messageId, this.inThread)
  }

  private mark(messageId: string | null, previous: string | null): string | null {
    if (messageId === null || messageId === previous || document.visibilityState !== 'visible')
      return previous
    call('PUT', `/api/rooms/${this.roomId}/read`, { json: { messageId } }).catch(() => {})
    return messageId
  }
}
