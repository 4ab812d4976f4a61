import { setTimeout as pause } from 'node:timers/promises'
import type { ProgramResult } from './agent-program.ts'

/** The body of a webhook delivery (`docs/webhooks.md#the-call`). */
export interface Wake {
  id: string
  event: string
}

interface TakeRequest {
  limit: number
  lease: number
  /** Whether this is the first request: it takes unanswered wakes again and does not wait. */
  restart: boolean
}

const waitSeconds = 25
const maxPauseMs = 30_000

/** A refusal that no retry can change. */
export class Refused extends Error {}

/** The requests of `workroom agent run`. Each is retried until the server answers it. */
export class WakeClient {
  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly log: (line: string) => void,
  ) {}

  /** Returns an empty list when `signal` aborts. */
  async take(request: TakeRequest, signal: AbortSignal): Promise<Wake[]> {
    const response = await this.post(
      '/v1/wakes/take',
      { wait: request.restart ? 0 : waitSeconds, ...request },
      signal,
    )
    return (response as { wakes: Wake[] } | null)?.wakes ?? []
  }

  /** May be repeated: the server answers a wake once. */
  async answer(id: string, result: ProgramResult): Promise<{ replyId: string | null }> {
    return (await this.post(`/v1/wakes/${id}/answer`, result)) as { replyId: string | null }
  }

  /** Returns null if aborted. */
  private async post(path: string, body: object, signal?: AbortSignal): Promise<unknown> {
    for (let pauseMs = 1000; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        return await this.attempt(path, body, signal)
      } catch (error) {
        if (signal?.aborted) return null
        if (error instanceof Refused) throw error
        this.log(`${(error as Error).message}; tried again in ${pauseMs / 1000} seconds`)
        await pause(pauseMs, undefined, { ...(signal && { signal }) }).catch(() => null)
      }
    }
  }

  private async attempt(path: string, body: object, signal?: AbortSignal): Promise<unknown> {
    const response = await fetch(new URL(path, this.url), {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
    if (response.ok) return response.json()
    const { status } = response
    const parsed = (await response.json().catch(() => ({}))) as { error?: string }
    const message = parsed.error ?? `The server answered with status ${status}`
    throw status === 429 || status >= 500 ? new Error(message) : new Refused(message)
  }
}
