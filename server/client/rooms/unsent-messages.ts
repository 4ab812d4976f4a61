import { ApiError, type ApiResponse, call, errorText } from '../api.ts'
import { canonicalText, type PickedMention } from '../mentions.ts'
import { StoredEntries } from '../stored-entries.ts'

export interface UnsentMessage {
  /** The idempotency key: however often it is sent, it is one message. */
  key: string
  order: number
  /** `/api/rooms/<id>/messages`. */
  path: string
  roomId: string
  threadId?: string
  text: string
  picked: PickedMention[]
  /** In its stored form once known, so that a retry sends the same text. */
  body?: string
  /** Why the server refused it. It is then sent again only on request. */
  problem?: string
}

type SentListener = (message: UnsentMessage, response: ApiResponse) => void

/** The server remembers keys for a day; after that, a retry could post the message twice. */
const maxAgeMs = 24 * 60 * 60 * 1000
const retryMs = [500, 1000, 2000, 5000, 10_000]
/** Browsers refuse requests with `keepalive` above 64 kB. */
const maxKeepaliveLength = 10_000

/** Unsent messages in order. They outlive the page: the next page in this browser sends what is left. */
class UnsentMessages {
  /** Whether the server could not be reached at the last attempt. */
  isWaiting = false
  private readonly entries = new StoredEntries<UnsentMessage>('unsent', '', ({ order }) => order)
  private messages: UnsentMessage[] = this.entries.all().map(refusedIfOld)
  private isDelivering = false
  private currentAttempt: Promise<unknown> = Promise.resolve()
  private readonly changeListeners: (() => void)[] = []
  private readonly sentListeners: SentListener[] = []
  private wake = () => {}

  constructor() {
    addEventListener('online', () => this.wake())
    // Another tab has sent or discarded it.
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
    this.notifyChange()
    void this.deliver()
  }

  retry(message: UnsentMessage): void {
    delete message.problem
    this.entries.write(message)
    this.notifyChange()
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

  /** Calls `listener` once the server has confirmed a message, before it is removed. */
  onSent(listener: SentListener): void {
    this.sentListeners.push(listener)
  }

  /** Resolves when the current attempt has ended. */
  async whenIdle(): Promise<void> {
    await this.currentAttempt
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

  /** Returns false if the message must be retried. */
  private async trySending(message: UnsentMessage): Promise<boolean> {
    const request = this.send(message)
    this.currentAttempt = request.catch(() => {})
    try {
      const response = await request
      this.isWaiting = false
      for (const listener of this.sentListeners) listener(message, response)
      this.discard(message)
      return true
    } catch (error) {
      const isRefused = isRefusal(error)
      this.isWaiting = !isRefused
      if (isRefused) {
        message.problem = errorText(error)
        this.entries.write(message)
      }
      this.notifyChange()
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
    this.notifyChange()
  }

  private notifyChange(): void {
    for (const listener of this.changeListeners) listener()
  }
}

/** Whether a retry would fail again. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < 500 && ![401, 408, 425, 429].includes(error.status)

function refusedIfOld(message: UnsentMessage): UnsentMessage {
  const isOld = Date.now() - message.order > maxAgeMs
  return isOld ? { problem: 'It was written more than a day ago.', ...message } : message
}

/** `crypto.randomUUID` exists only in secure contexts. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export const unsentMessages = new UnsentMessages()
