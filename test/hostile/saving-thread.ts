import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { programModule } from '../../data/program.ts'

/** What a thread is to save, and how. */
export interface Saving {
  /** Absolute. */
  path: string
  /** Where a file that is renamed into place is written first. */
  temporary: string
  text: string
  way: 'rename' | 'in place' | 'held open'
  /** How many turns of an empty loop it waits for once it is told to. */
  spin: number
}

/** What the shared number says. */
export const states = { idle: 0, ready: 1, fired: 2, saved: 3, failed: 4 } as const

/** A thread that saves a file at the very moment at which it is told to, truly at the same time as this one works on it. */
export class SavingThread {
  private readonly shared = new Int32Array(new SharedArrayBuffer(4))
  private readonly worker: Worker

  constructor() {
    this.worker = new Worker(fileURLToPath(programModule('test/hostile/saving-process.ts')), {
      workerData: this.shared,
    })
  }

  /** Has it open what it needs, and wait for the word. */
  prepare(saving: Saving): void {
    Atomics.store(this.shared, 0, states.idle)
    this.worker.postMessage(saving)
  }

  /** Gives the word; nothing happens where it is not ready yet. */
  fire(): void {
    Atomics.compareExchange(this.shared, 0, states.ready, states.fired)
  }

  /** @returns whether it has saved */
  async finish(): Promise<boolean> {
    for (;;) {
      // It was never told to, since nothing was placed.
      if (Atomics.compareExchange(this.shared, 0, states.ready, states.failed) === states.ready) return false
      const state = Atomics.load(this.shared, 0)
      if (state === states.saved || state === states.failed) return state === states.saved
      await pause(1)
    }
  }

  async close(): Promise<void> {
    await this.worker.terminate()
  }
}
