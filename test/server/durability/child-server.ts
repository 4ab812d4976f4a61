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
  /** Sends SIGSTOP: the server answers nothing until `resume`. */
  pause(): void
  /** Waits until the process does nothing any more, after `pause` or its end. */
  still(): Promise<void>
  /** Sends SIGCONT. */
  resume(): void
  /** Sends SIGKILL. */
  kill(): void
  gone: Promise<void>
}

export interface ChildServers {
  start(): Promise<ChildServer>
  /** Starts a server and kills it after `afterMs`, whether it listens by then or not. */
  startAndKill(afterMs: number): Promise<void>
}

/**
 * Starts servers one after the other on one home; the next process is always loaded beforehand.
 * @param code the folder that `builtCode` returns
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
    // `start` reports the failure.
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

/** Returns the last 4000 characters that a process has printed. */
function lastWords(child: ChildProcess): () => string {
  let said = ''
  for (const output of [child.stdout!, child.stderr!]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000)
    })
  }
  return () => said
}

/** Waits for a wanted message. @throws when the process ends before, with how it ended and what it printed */
function next(
  { child, said }: { child: ChildProcess; said: () => string },
  isWanted: (message: FromServer) => boolean,
): Promise<FromServer> {
  return new Promise((resolve, reject) => {
    const receive = (message: FromServer) => {
      if (isWanted(message)) settle(() => resolve(message))
    }
    // `close` comes after all output has been read.
    const fail = (code: number | null, signal: NodeJS.Signals | null) =>
      settle(() =>
        reject(new Error(`The server ended before it was killed, by ${signal ?? code}: ${said()}`)),
      )
    const settle = (how: () => void) => {
      child.off('message', receive).off('close', fail)
      how()
    }
    child.on('message', receive).on('close', fail)
  })
}
