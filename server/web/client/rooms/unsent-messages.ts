import { ApiError, type ApiResponse, call, errorText } from '../api.ts'
import { canonicalText, type PickedMention } from '../mentions.ts'
import { StoredEntries } from '../stored-entries.ts'

/** A message that was sent from this browser, and that the server has not confirmed. */
export interface UnsentMessage {
  /** Makes it one message however often it is sent. */
  key: string
  /** Messages are sent in this order. */
  order: number
  /** Of the interface: `/api/rooms/<id>/messages`. */
  path: string
  roomId: string
  threadId?: string
  /** As it was typed. */
  text: string
  picked: PickedMention[]
  /** As it is stored, once that is known: a repeated request has the same text. */
  body?: string
  /** Why the server refused it. It is sent again only when its author asks for it. */
  problem?: string
}

type SentListener = (message: UnsentMessage, answer: ApiResponse) => void

/** The server remembers for a day that it has a message: later the same one would be a second. */
const maxAgeMs = 24 * 60 * 60 * 1000
const retryMs = [500, 1000, 2000, 5000, 10_000]
/** Browsers refuse a request that outlives its page above 64 kB. */
const maxKeepaliveLength = 10_000

/**
 * The messages that are not sent yet, in the order in which they were written. They outlive the page: whichever page of
 * this member is opened next in this browser sends what is left.
 */
class UnsentMessages {
  /** Whether the last attempt failed to reach the server. */
  isWaiting = false
  private readonly entries = new StoredEntries<UnsentMessage>('unsent', '', ({ order }) => order)
  private messages: UnsentMessage[] = this.entries.all().map(refusedIfOld)
  private isDelivering = false
  private attempt: Promise<unknown> = Promise.resolve()
  private readonly changeListeners: (() => void)[] = []
  private readonly sentListeners: SentListener[] = []
  private wake = () => {}

  constructor() {
    addEventListener('online', () => this.wake())
    // Another tab has sent it, or it was discarded there.
    this.entries.onRemoved((key) => this.forget(key))
  }

  get all(): readonly UnsentMessage[] {
    return this.messages
  }

  add(message: Omit<UnsentMessage, 'key' | 'order'>): void {
    const last = this.messages.at(-1)?.order ?? 0
    const added = { ...message, key: newKey(), order: Math.max(Date.now(), last + 1) }
    this.messages.push(added)
    this.entries.write(added)
    this.changed()
    void this.deliver()
  }

  retry(message: UnsentMessage): void {
    delete message.problem
    this.entries.write(message)
    this.changed()
    this.wake()
    void this.deliver()
  }

  discard({ key }: UnsentMessage): void {
    this.entries.remove(key)
    this.forget(key)
  }

  onChange(listener: () => void): void {
    this.changeListeners.push(listener)
  }

  /** Calls `listener` once the server has taken a message, before it is removed from the unsent messages. */
  onSent(listener: SentListener): void {
    this.sentListeners.push(listener)
  }

  /** Resolves when the attempt that is under way has ended. */
  async settled(): Promise<void> {
    await this.attempt
  }

  async deliver(): Promise<void> {
    if (this.isDelivering) return
    this.isDelivering = true
    let failures = 0
    for (let next = this.next(); next; next = this.next()) {
      const isDone = await this.trySending(next)
      failures = isDone ? 0 : failures + 1
      if (!isDone) await this.pause(retryMs[Math.min(failures, retryMs.length) - 1]!)
    }
    this.isDelivering = false
  }

  private next(): UnsentMessage | undefined {
    return this.messages.find(({ problem }) => problem === undefined)
  }

  /** @returns false if the same message is to be sent again */
  private async trySending(message: UnsentMessage): Promise<boolean> {
    const sending = this.send(message)
    this.attempt = sending.catch(() => {})
    try {
      const answer = await sending
      this.isWaiting = false
      for (const listener of this.sentListeners) listener(message, answer)
      this.discard(message)
      return true
    } catch (error) {
      const isRefused = isRefusal(error)
      this.isWaiting = !isRefused
      if (isRefused) {
        message.problem = errorText(error)
        this.entries.write(message)
      }
      this.changed()
      return isRefused
    }
  }

  private async send(message: UnsentMessage): Promise<ApiResponse> {
    const { key, path, roomId, threadId, text, picked } = message
    if (message.body === undefined) {
      message.body = await canonicalText(text, roomId, picked)
      this.entries.write(message)
    }
    const { body } = message
    return call('POST', path, {
      json: { body, ...(threadId !== undefined && { threadId }) },
      headers: { 'Idempotency-Key': key },
      keepalive: body.length <= maxKeepaliveLength,
    })
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  private forget(key: string): void {
    this.messages = this.messages.filter((message) => message.key !== key)
    this.changed()
  }

  private changed(): void {
    for (const listener of this.changeListeners) listener()
  }
}

/** A failure that the same request would meet again. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && ![401, 408, 425, 429].includes(error.status)

function refusedIfOld(message: UnsentMessage): UnsentMessage {
  const isOld = Date.now() - message.order > maxAgeMs
  return isOld ? { problem: 'It was written more than a day ago.', ...message } : message
}

/** `crypto.randomUUID` is there on encrypted connections only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export const unsentMessages = new UnsentMessages()
