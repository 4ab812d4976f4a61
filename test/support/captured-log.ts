import type { Log } from '../../server/log.ts'

export interface LogLine {
  level: 'info' | 'warn' | 'error'
  fields: Record<string, unknown>
  message: string
}

export interface CapturedLog extends Log {
  lines: LogLine[]
  text(): string
}

export function capturedLog(): CapturedLog {
  const lines: LogLine[] = []
  const record = (level: LogLine['level']) => (fields: Record<string, unknown>, message: string) => {
    lines.push({ level, fields, message })
  }
  return {
    lines,
    info: record('info'),
    warn: record('warn'),
    error: record('error'),
    text: () => lines.map((line) => JSON.stringify(line)).join('\n'),
  }
}
