import { WorkspaceError } from '../../core/errors/workspace-error.ts'

const maxStreamsPerKey = 8

export class OpenStreams {
  private readonly counts = new Map<string, number>()

  /** Returns a function that ends the count. @throws WorkspaceError `too_many_requests` */
  open(keyId: string): () => void {
    const count = this.counts.get(keyId) ?? 0
    if (count >= maxStreamsPerKey) {
      throw new WorkspaceError(
        'too_many_requests',
        `This key has ${maxStreamsPerKey} streams open. Close one, or follow events with the tool follow.`,
        { retryAfterMs: 10_000 },
      )
    }
    this.counts.set(keyId, count + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const remaining = this.counts.get(keyId)! - 1
      if (remaining === 0) this.counts.delete(keyId)
      else this.counts.set(keyId, remaining)
    }
  }
}
