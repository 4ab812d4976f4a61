import { closeSync, ftruncateSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { type Saving, states } from './saving-thread.ts'

// The program of the saving thread. It spins, because waking it would take longer than the moment to hit.

const shared = workerData as Int32Array

parentPort!.on('message', (saving: Saving) => {
  let state: number = states.failed
  try {
    const save = prepared(saving)
    Atomics.store(shared, 0, states.ready)
    while (Atomics.load(shared, 0) === states.ready);
    if (Atomics.load(shared, 0) === states.fired) {
      for (let turn = 0; turn < saving.spin; turn++) Atomics.load(shared, 0)
      save()
      state = states.saved
    }
  } catch (error) {
    // The file did not exist at that moment, so nothing was saved.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  Atomics.store(shared, 0, state)
})

function prepared({ path, temporary, text, method }: Saving): () => void {
  if (method === 'in place') return () => writeFileSync(path, text)
  if (method === 'rename') {
    writeFileSync(temporary, text)
    return () => renameSync(temporary, path)
  }
  const file = openSync(path, 'r+')
  return () => {
    ftruncateSync(file, 0)
    writeSync(file, text, 0)
    closeSync(file)
  }
}
