import nodeFs from 'node:fs'
import { defaultConfig } from '../../../core/config.ts'
import { markdownService } from '../../../core/markdown/index.ts'
import { startServer } from '../../../server/index.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'

/** A process that is loaded beforehand, waits for the message to serve a home, and serves it until it is killed. */

/** A moment next to a step of the next write, at which the process kills itself. */
export interface Moment {
  step: 'writeSync' | 'symlinkSync' | 'linkSync' | 'renameSync' | 'unlinkSync' | 'fsync' | 'COMMIT'
  /** `half`: after half of the bytes of a write. */
  when: 'before' | 'half' | 'after'
  /** Whether the step is one after the file is in its place, when the write is answered. */
  isOncePlaced?: boolean
}

export type ToServer = { serve: string } | { dieAt: Moment }
export type FromServer = 'loaded' | 'armed' | { url: string }

const die = () => process.kill(process.pid, 'SIGKILL')
/** If the test has ended meanwhile, nobody receives the message, and `disconnect` ends the process. */
const say = (message: FromServer) => process.send!(message, () => {})

const disk = breakableDisk()
let diesBeforeCommit = false

async function serve(home: string): Promise<void> {
  // One thread and no time limit, because parsing on a busy machine is not what is tested.
  const markdown = markdownService({ threads: 1, budgetMs: 60_000 })
  const { port } = await startServer({
    home,
    config: { ...defaultConfig, log: { level: 'error' } },
    port: 0,
    faults: {
      tree: { fs: disk.fs },
      database: { beforeCommit: () => void (diesBeforeCommit && die()) },
      markdown,
    },
  })
  say({ url: `http://127.0.0.1:${port}` })
}

function dieAt({ isOncePlaced = false, ...moment }: Moment): void {
  if (isOncePlaced) {
    disk.replace('linkSync', (real) => {
      real()
      arm(moment)
    })
  } else arm(moment)
}

function arm({ step, when }: Moment): void {
  if (step === 'COMMIT') diesBeforeCommit = true
  else {
    disk.replace(step, (real, args) => {
      if (when === 'half') {
        const [file, bytes, offset, length] = args as [number, Uint8Array, number, number]
        nodeFs.writeSync(file, bytes, offset, Math.floor(length / 2))
      }
      if (when === 'after') real()
      die()
    })
  }
}

process.on('message', (message: ToServer) => {
  if ('serve' in message) void serve(message.serve)
  else {
    dieAt(message.dieAt)
    say('armed')
  }
})
// The test has ended, and nobody else could end this process.
process.on('disconnect', die)
say('loaded')
