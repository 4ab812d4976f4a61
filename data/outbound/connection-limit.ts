export interface TurnLimits {
  total: number
  /** Limited so that a host that hangs delays only itself. */
  perHost: number
}

interface Waiter {
  host: string
  begin: () => void
}

export class ConnectionLimit {
  private readonly limits: TurnLimits
  private readonly waiting = new Set<Waiter>()
  private readonly active = new Map<string, number>()
  private count = 0

  constructor(limits: TurnLimits) {
    this.limits = limits
  }

  /** Returns a function that releases the slot. @throws the signal's reason if it is aborted first */
  async acquire(host: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (!this.hasRoom(host)) await this.wait(host, signal)
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
        begin: () => {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
      }
      const leave = () => {
        this.waiting.delete(waiter)
        reject(signal!.reason)
      }
      this.waiting.add(waiter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  private grantNext(): void {
    for (const waiter of this.waiting) {
      if (!this.hasRoom(waiter.host)) continue
      this.waiting.delete(waiter)
      this.add(waiter.host, 1)
      waiter.begin()
      return
    }
  }

  private hasRoom(host: string): boolean {
    return this.count < this.limits.total && (this.active.get(host) ?? 0) < this.limits.perHost
  }

  private add(host: string, change: 1 | -1): void {
    this.count += change
    const left = (this.active.get(host) ?? 0) + change
    if (left === 0) this.active.delete(host)
    else this.active.set(host, left)
  }
}
