import { readFileSync, readlinkSync } from 'node:fs'

/** Null except on Linux. */
export function systemThreadId(): number | null {
  return readOrNull(() => Number(readlinkSync('/proc/thread-self').split('/').at(-1)))
}

/** Null if unknown. */
export function threadCpuMs(threadId: number): number | null {
  return readOrNull(
    () => Number(readFileSync(`/proc/self/task/${threadId}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
  )
}

function readOrNull(read: () => number): number | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}
