import { readFileSync, readlinkSync } from 'node:fs'

/** The system's own number of the thread that asks; null where it does not tell, as on anything but Linux. */
export function systemThreadId(): number | null {
  return readOrNull(() => Number(readlinkSync('/proc/thread-self').split('/').at(-1)))
}

/** For how long a thread of this process has had a processor, in milliseconds; null where the system does not tell. */
export function threadCpuMs(threadId: number): number | null {
  return readOrNull(
    () => Number(readFileSync(`/proc/self/task/${threadId}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
  )
}

function readOrNull(ask: () => number): number | null {
  try {
    return ask()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}
