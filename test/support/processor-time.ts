import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second, whatever the kernel's own clock is. */
const msPerTick = 10

interface ProcessTimes {
  parent: number
  /** Its own time and that of its children that have ended. */
  ticks: number
}

/** Processor time in ms that a process and all processes that it started have used; null where /proc is not that of Linux. */
export function processorTimeMs(pid: number): number | null {
  const times = allTimes()
  if (times.size === 0) return null
  let ticks = 0
  for (const [one, process] of times) if (isWithin(one, pid, times)) ticks += process.ticks
  return ticks * msPerTick
}

function isWithin(pid: number, ancestor: number, times: Map<number, ProcessTimes>): boolean {
  for (let one: number | undefined = pid; one; one = times.get(one)?.parent) if (one === ancestor) return true
  return false
}

function allTimes(): Map<number, ProcessTimes> {
  const times = new Map<number, ProcessTimes>()
  for (const name of process.platform === 'linux' ? readdirSync('/proc') : []) {
    if (!/^\d+$/.test(name)) continue
    const read = timesOf(name)
    if (read) times.set(Number(name), read)
  }
  return times
}

/** Null if the process has ended. */
function timesOf(pid: string): ProcessTimes | null {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) return null
    throw error
  }
  // The name of the program, in parentheses, may contain anything. The fields after it begin with the third.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { parent: Number(fields[1]), ticks }
}
