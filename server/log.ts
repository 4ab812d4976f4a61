import pino from 'pino'
import type { LogLevel } from '../core/config.ts'

/** Never log keys, headers or bodies. Errors go in the field `err`. */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

interface OpenLog extends Log {
  close(): void
}

/** Losing lines in a power cut is cheaper than a system call per request. */
const bufferBytes = 16_000
const flushDelayMs = 1000

export function openLog(level: LogLevel): OpenLog {
  const destination = pino.destination({ dest: 2, sync: false, minLength: bufferBytes })
  const logger = pino({ level, base: null }, destination)
  // Not an interval, which would wake an idle server.
  let flushTimer: NodeJS.Timeout | null = null
  const flush = () => {
    flushTimer = null
    destination.flush()
  }
  const writeAt =
    (level: keyof Log): Log[keyof Log] =>
    (fields, message) => {
      logger[level](fields, message)
      flushTimer ??= setTimeout(flush, flushDelayMs).unref()
    }
  return {
    info: writeAt('info'),
    warn: writeAt('warn'),
    error: writeAt('error'),
    close() {
      if (flushTimer) clearTimeout(flushTimer)
      destination.flushSync()
    },
  }
}
