import nodeFs from 'node:fs'
import { defaultConfig } from '../../../core/config.ts'
import { markdownService } from '../../../core/markdown/index.ts'
import { startServer } from '../../../server/index.ts'
import { breakableDisk } from '../../support/breakable-disk.ts'

/**
 * The program of a process that serves a home until it is killed. Loaded beforehand, it waits for the word to serve:
 * so the next one is ready when one has been killed.
 */

/** A moment at which the process kills itself: next to a step of the next write. */
export interface Moment {
  step: 'writeSync' | 'symlinkSync' | 'linkSync' | 'renameSync' | 'unlinkSync' | 'fsync' | 'COMMIT'
  /** `half`: of the bytes, for a write. */
  when: 'before' | 'half' | 'after'
}

export type ToServer = { serve: string } | { dieAt: Moment }
export type FromServer = 'loaded' | 'armed' | { url: string }

const die = () => process.kill(process.pid, 'SIGKILL')
/** The test may have ended meanwhile: then nobody hears it, and `disconnect` ends this. */
const say = (message: FromServer) => process.send!(message, () => {})

const disk = breakableDisk()
let diesBeforeCommit = false

async function serve(home: string): Promise<void> {
  // One thread, in no hurry: what is tested is not how fast a busy machine parses.
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

function dieAt({ step, when }: Moment): void {
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
  say('armed')
}

process.on('message', (message: ToServer) => {
  if ('serve' in message) void serve(message.serve)
  else dieAt(message.dieAt)
})
// The test is gone: nobody is left who could end this.
process.on('disconnect', die)
say('loaded')
