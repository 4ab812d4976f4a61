import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Test } from 'tap'
import { eventually } from '../../support/eventually.ts'
import type { FromServer, Moment, ToServer } from './killable-server.ts'

/** A server in a process of its own. */
export interface ChildServer {
  url: string
  /** Makes it kill itself at a moment of its next write. */
  dieAt(moment: Moment): Promise<void>
  /** Sends SIGSTOP: it answers nothing any more. */
  pause(): void
  /** Resolves once it does nothing any more, after `pause` or its end. */
  still(): Promise<void>
  /** Sends SIGCONT. */
  resume(): void
  /** Sends SIGKILL. */
  kill(): void
  /** Resolves once the process is gone. */
  gone: Promise<void>
}

export interface ChildServers {
  start(): Promise<ChildServer>
  /** Starts one and kills it so many milliseconds later, whether it listens by then or not. */
  startAndKill(afterMs: number): Promise<void>
}

/**
 * Starts servers one after the other on one home; the next process is always loaded beforehand.
 * @param code as `plainCode` gives it
 */
export function childServers(
  t: Pick<Test, 'teardown'>,
  { home, code }: { home: string; code: string },
): ChildServers {
  const program = join(code, 'test/server/durability/killable-server.js')
  const load = () => {
    const child = fork(program, { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    t.teardown(() => child.kill('SIGKILL'))
    const said = lastWords(child)
    const loaded = next({ child, said }, (message) => message === 'loaded')
    // Its end is noticed by whoever wants to start it.
    loaded.catch(() => {})
    return { child, said, loaded }
  }
  let spare = load()
  return {
    async start() {
      const { child, said, loaded } = spare
      await loaded
      const gone = once(child, 'exit').then(() => {})
      const listening = next({ child, said }, (message) => typeof message === 'object')
      send(child, { serve: home })
      const { url } = (await listening) as { url: string }
      spare = load()
      return {
        url,
        gone,
        async dieAt(moment) {
          const armed = next({ child, said }, (message) => message === 'armed')
          send(child, { dieAt: moment })
          await armed
        },
        pause: () => void child.kill('SIGSTOP'),
        still: () => eventually(() => isStill(child)).then(() => {}),
        resume: () => void child.kill('SIGCONT'),
        kill: () => void child.kill('SIGKILL'),
      }
    },
    async startAndKill(afterMs) {
      const { child, loaded } = spare
      await loaded
      const gone = once(child, 'exit')
      send(child, { serve: home })
      setTimeout(() => child.kill('SIGKILL'), afterMs)
      await gone
      spare = load()
    },
  }
}

function isStill({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (exitCode !== null || signalCode !== null) return true
  return /^[TZ]/.test(execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }))
}

const send = (child: ChildProcess, message: ToServer) => void child.send(message)

/** What a process has printed: its end, of as many characters as help. */
function lastWords(child: ChildProcess): () => string {
  let said = ''
  for (const output of [child.stdout!, child.stderr!]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000)
    })
  }
  return () => said
}

/** The next message that is wanted. @throws when the process ends before it, with how it ended and what it printed */
function next(
  { child, said }: { child: ChildProcess; said: () => string },
  isWanted: (message: FromServer) => boolean,
): Promise<FromServer> {
  return new Promise((resolve, reject) => {
    const hear = (message: FromServer) => {
      if (isWanted(message)) settle(() => resolve(message))
    }
    // `close` comes when all that it printed has been read.
    const fail = (code: number | null, signal: NodeJS.Signals | null) =>
      settle(() =>
        reject(new Error(`The server ended before it was killed, by ${signal ?? code}: ${said()}`)),
      )
    const settle = (how: () => void) => {
      child.off('message', hear).off('close', fail)
      how()
    }
    child.on('message', hear).on('close', fail)
  })
}
