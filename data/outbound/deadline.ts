export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the timeout fired, not the caller's signal. */
  readonly isExpired: boolean
  /** Releases the timer and the caller's signal, which may live far longer. */
  clear(): void
}

/** @param callerSignal may be aborted already */
export function startDeadline(timeoutMs: number, callerSignal?: AbortSignal): Deadline {
  const controller = new AbortController()
  let isExpired = false
  const expire = () => {
    isExpired = !controller.signal.aborted
    controller.abort()
  }
  const abort = () => controller.abort(callerSignal!.reason)
  const timer = setTimeout(expire, timeoutMs)
  if (callerSignal?.aborted) abort()
  else callerSignal?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    get isExpired() {
      return isExpired
    },
    clear() {
      clearTimeout(timer)
      callerSignal?.removeEventListener('abort', abort)
    },
  }
}
