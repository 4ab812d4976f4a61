import { readFileSync, readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

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

/** Lowers the priority of the calling thread by this much, where threads have their own: only on Linux. */
export function lowerThreadPriority(byNiceness: number): void {
  const threadId = systemThreadId()
  if (threadId === null) return
  setPriority(threadId, Math.min(getPriority(threadId) + byNiceness, constants.priority.PRIORITY_LOW))
}

function readOrNull(read: () => number): number | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}
