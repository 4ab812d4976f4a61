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
const flushIntervalMs = 1000

/** The log on standard error: one JSON object a line, gathered in a buffer and written at least once a second. */
export function openLog(level: LogLevel): OpenLog {
  const destination = pino.destination({ dest: 2, sync: false, minLength: bufferBytes })
  const logger = pino({ level, base: null }, destination)
  const flushing = setInterval(() => destination.flush(), flushIntervalMs)
  flushing.unref()
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    close() {
      clearInterval(flushing)
      destination.flushSync()
    },
  }
}
