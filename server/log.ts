import pino from 'pino'
import type { LogLevel } from '../core/config.ts'

/** Never contains a key, a header or a body; errors are in the field `err`. */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

interface OpenLog extends Log {
  close(): void
}

/** A line lost in a power cut is cheaper than a system call a request. */
const bufferBytes = 16_000
const flushDelayMs = 1000

/** The log on standard error: one JSON object a line, gathered in a buffer and written within a second. */
export function openLog(level: LogLevel): OpenLog {
  const destination = pino.destination({ dest: 2, sync: false, minLength: bufferBytes })
  const logger = pino({ level, base: null }, destination)
  // No interval: an idle server sleeps.
  let flushing: NodeJS.Timeout | null = null
  const flush = () => {
    flushing = null
    destination.flush()
  }
  const writeAt =
    (level: keyof Log): Log[keyof Log] =>
    (fields, message) => {
      logger[level](fields, message)
      flushing ??= setTimeout(flush, flushDelayMs).unref()
    }
  return {
    info: writeAt('info'),
    warn: writeAt('warn'),
    error: writeAt('error'),
    close() {
      if (flushing) clearTimeout(flushing)
      destination.flushSync()
    },
  }
}
