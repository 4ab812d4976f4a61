import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { programModule } from '../../data/program.ts'

export interface Saving {
  path: string
  /** The path of the temporary file of a save by rename. */
  temporary: string
  text: string
  method: 'rename' | 'in place' | 'held open'
  /** How many turns of an empty loop it waits after `fire`. */
  spin: number
}

export const states = { idle: 0, ready: 1, fired: 2, saved: 3, failed: 4 } as const

/** A thread that saves a file at a given moment, truly in parallel with the main thread. */
export class SavingThread {
  private readonly shared = new Int32Array(new SharedArrayBuffer(4))
  private readonly worker: Worker

  constructor() {
    this.worker = new Worker(fileURLToPath(programModule('test/hostile/saving-process.ts')), {
      workerData: this.shared,
    })
  }

  /** Lets the thread prepare a save and wait for `fire`. */
  prepare(saving: Saving): void {
    Atomics.store(this.shared, 0, states.idle)
    this.worker.postMessage(saving)
  }

  /** Starts the save, unless the thread is not ready yet. */
  fire(): void {
    Atomics.compareExchange(this.shared, 0, states.ready, states.fired)
  }

  /** @returns whether it has saved */
  async finish(): Promise<boolean> {
    for (;;) {
      // It was never fired, because no file was placed.
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
