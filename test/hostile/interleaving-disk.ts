import nodeFs from 'node:fs'
import type { FileSystem } from '../../data/tree/index.ts'

/** An action before one of the system calls that place a file, counted from the first. */
export interface Act {
  step: number
  act: () => void
}

// biome-ignore lint/suspicious/noExplicitAny: the functions of node:fs share no signature
type AnyCall = (...args: any[]) => unknown

/** The calls that place a file. */
const counted = ['symlinkSync', 'renameSync', 'linkSync', 'unlinkSync', 'lstatSync'] as const

/** The machine's disk, with actions between the system calls that place a file. */
export class InterleavingDisk {
  readonly fs: FileSystem
  private readonly aims = new Map<string, Act[]>()
  private placing: { path: string; acts: Act[]; step: number } | null = null

  constructor() {
    const wrapped = counted.map((call) => {
      const real = nodeFs[call] as AnyCall
      const acted = (...args: unknown[]) => {
        this.before(call, args)
        return real(...args)
      }
      return [call, acted]
    })
    this.fs = { ...nodeFs, ...Object.fromEntries(wrapped) }
  }

  /** Makes acts happen while a file is placed next. @param path the absolute path of the file */
  aim(path: string, acts: Act[]): void {
    this.aims.set(path, acts)
  }

  /** Acts that have begun are completed: an editor does not leave a file half written. */
  clear(path: string): void {
    this.aims.delete(path)
    if (this.placing?.path === path) this.completeActs()
  }

  private before(call: (typeof counted)[number], args: unknown[]): void {
    // A placing begins with the rename of the file that it replaces.
    if (call === 'renameSync') {
      const path = String(args[0])
      const acts = this.aims.get(path)
      this.aims.delete(path)
      if (acts) {
        this.completeActs()
        this.placing = { path, acts, step: 0 }
      }
    }
    if (!this.placing) return
    const { acts, step } = this.placing
    this.placing.step += 1
    for (const { act } of acts.filter((one) => one.step === step)) act()
    if (acts.every((one) => one.step <= step)) this.placing = null
  }

  /** The calls of a placing may be fewer than the steps of its acts. */
  private completeActs(): void {
    const { acts = [], step = 0 } = this.placing ?? {}
    this.placing = null
    for (const { act } of acts.filter((one) => one.step >= step)) act()
  }
}
