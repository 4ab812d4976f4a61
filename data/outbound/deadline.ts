/** A time by which something must have ended, together with the caller's own wish to end it. */
export interface Deadline {
  /** Aborted by whichever comes first. */
  readonly signal: AbortSignal
  /** Whether it was the time. */
  readonly isExpired: boolean
  /** Forgets the timer and the caller's signal, which may live far longer. */
  clear(): void
}

/** @param callers may be aborted already */
export function startDeadline(timeoutMs: number, callers?: AbortSignal): Deadline {
  const controller = new AbortController()
  let isExpired = false
  const pass = () => {
    isExpired = !controller.signal.aborted
    controller.abort()
  }
  const follow = () => controller.abort(callers!.reason)
  const timer = setTimeout(pass, timeoutMs)
  if (callers?.aborted) follow()
  else callers?.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    get isExpired() {
      return isExpired
    },
    clear() {
      clearTimeout(timer)
      callers?.removeEventListener('abort', follow)
    },
  }
}
