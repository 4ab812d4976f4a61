export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the timeout fired, not the caller's signal. */
  readonly isExpired: boolean
  /** Releases the timer and the caller's signal, which may live far longer. */
  clear(): void
}

/** Calls back once after a time, unless it is cancelled. */
export type StartTimer = (durationMs: number, callback: () => void) => { cancel(): void }

const startTimer: StartTimer = (durationMs, callback) => {
  const timer = setTimeout(callback, durationMs)
  return { cancel: () => clearTimeout(timer) }
}

/** @param callerSignal may be aborted already */
export function startDeadline(
  timeoutMs: number,
  callerSignal?: AbortSignal,
  after: StartTimer = startTimer,
): Deadline {
  const controller = new AbortController()
  let isExpired = false
  const expire = () => {
    isExpired = !controller.signal.aborted
    controller.abort()
  }
  const abort = () => controller.abort(callerSignal!.reason)
  const timer = after(timeoutMs, expire)
  if (callerSignal?.aborted) abort()
  else callerSignal?.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    get isExpired() {
      return isExpired
    },
    clear() {
      timer.cancel()
      callerSignal?.removeEventListener('abort', abort)
    },
  }
}
