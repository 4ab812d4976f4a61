export interface ConnectionLimits {
  total: number
  /** Limited so that a host that hangs delays only itself. */
  perHost: number
}

interface Waiter {
  host: string
  grant: () => void
}

export class ConnectionLimit {
  private readonly waiting = new Set<Waiter>()
  private readonly active = new Map<string, number>()
  private count = 0

  constructor(private readonly limits: ConnectionLimits) {}

  /** Returns a function that releases the slot. @throws the signal's reason if it is aborted first */
  async acquire(host: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (!this.hasFreeSlot(host)) await this.wait(host, signal)
    else this.add(host, 1)
    return () => {
      this.add(host, -1)
      this.grantNext()
    }
  }

  private wait(host: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        host,
        grant: () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
      }
      const abort = () => {
        this.waiting.delete(waiter)
        reject(signal!.reason)
      }
      this.waiting.add(waiter)
      signal?.addEventListener('abort', abort, { once: true })
    })
  }

  private grantNext(): void {
    for (const waiter of this.waiting) {
      if (!this.hasFreeSlot(waiter.host)) continue
      this.waiting.delete(waiter)
      this.add(waiter.host, 1)
      waiter.grant()
      return
    }
  }

  private hasFreeSlot(host: string): boolean {
    return this.count < this.limits.total && (this.active.get(host) ?? 0) < this.limits.perHost
  }

  private add(host: string, change: 1 | -1): void {
    this.count += change
    const remaining = (this.active.get(host) ?? 0) + change
    if (remaining === 0) this.active.delete(host)
    else this.active.set(host, remaining)
  }
}
