import { pathToFileURL } from 'node:url'
import root from 'tap'
import { runFile } from './file-test.ts'
import { endProcess } from './process-end.ts'

/** Asks a process of tests to run a file. */
export interface FileRequest {
  /** Of the source, which names its results. */
  name: string
  /** Of the built file. */
  path: string
  /** Where its tests make their folders. */
  folder: string
}

/** A process of tests: it runs the files that it is sent one after another, and ends once nobody can send it more. */
let last = Promise.resolve()
process.on('message', (request: FileRequest) => {
  last = last.then(() => run(request))
})
process.once('disconnect', async () => {
  await last
  await endProcess()
  root.end()
})

async function run({ name, path, folder }: FileRequest): Promise<void> {
  // A file that runs again is evaluated again.
  await runFile(name, folder, () => import(`${pathToFileURL(path)}?${encodeURIComponent(name)}`))
  // While a file runs, the channel keeps no process alive, by tap's doing: one that waits for nothing ends. Now it waits for the next.
  process.channel?.ref()
}
