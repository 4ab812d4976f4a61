import { readdirSync, readFileSync } from 'node:fs'

export const residentBytes = (pid: number): number => field(`/proc/${pid}/status`, 'VmRSS') * 1024

/** How often threads of a process woke after a wait: all of them, and the main thread. */
export const wakeUps = (pid: number): { all: number; main: number } => ({
  all: readdirSync(`/proc/${pid}/task`)
    .map((thread) => wakeUpsOf(pid, thread))
    .reduce((total, count) => total + count, 0),
  main: wakeUpsOf(pid, String(pid)),
})

const wakeUpsOf = (pid: number, thread: string): number =>
  field(`/proc/${pid}/task/${thread}/status`, 'voluntary_ctxt_switches')

const field = (file: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))![1])
