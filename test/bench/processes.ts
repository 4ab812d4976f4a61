import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programModule } from '../../data/program.ts'
import type { BareResponse } from './bare-koa-process.ts'
import type { Load, LoadResult } from './load.ts'
import type { Typing, TypingResult } from './typing.ts'
import type { ReleaseResult, WaitOrder } from './waiting-clients.ts'

const fileOf = (path: string) => fileURLToPath(programModule(path))

/** Processes of this run that have not ended. */
const running = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function track<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

export async function endProgram(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** The next message of a process. @throws the error that it reports; when it ends without a message */
async function nextResult<T>(child: ChildProcess): Promise<T> {
  const exitWait = new AbortController()
  const ended = once(child, 'exit', { signal: exitWait.signal }).then(() => {
    throw new Error('A process of the bench ended before it had answered.')
  })
  // A rejection after the race is of no interest.
  ended.catch(() => {})
  try {
    const [{ result, error }] = await Promise.race([once(child, 'message'), ended])
    if (error !== undefined) throw new Error(error)
    return result
  } finally {
    exitWait.abort()
  }
}

export interface Loader {
  run(load: Load): Promise<LoadResult>
  close(): Promise<void>
}

export function startLoader(): Loader {
  const child = track(fork(fileOf('test/bench/load-process.ts')))
  return {
    run(load) {
      child.send(load)
      return nextResult(child)
    },
    close: () => endProgram(child, 'SIGKILL'),
  }
}

export interface BareKoa {
  port: number
  pid: number
  answer(response: BareResponse): Promise<void>
  close(): Promise<void>
}

export async function startBareKoa(): Promise<BareKoa> {
  const child = track(fork(fileOf('test/bench/bare-koa-process.ts')))
  const port = await nextResult<number>(child)
  return {
    port,
    pid: child.pid!,
    answer(response) {
      child.send(response)
      return nextResult(child)
    },
    close: () => endProgram(child, 'SIGKILL'),
  }
}

/** Bare Koa that holds requests until a POST releases them all. */
export interface HoldingKoa {
  port: number
  /** Sets the answer of released requests. */
  answer(body: string): Promise<void>
  close(): Promise<void>
}

export async function startHoldingKoa(): Promise<HoldingKoa> {
  const child = track(fork(fileOf('test/bench/bare-koa-holding-process.ts')))
  const port = await nextResult<number>(child)
  return {
    port,
    answer(body) {
      child.send({ body })
      return nextResult(child)
    },
    close: () => endProgram(child, 'SIGKILL'),
  }
}

export interface Typists {
  run(typing: Typing): Promise<TypingResult>
  close(): Promise<void>
}

export function startTypists(): Typists {
  const child = track(fork(fileOf('test/bench/typing-process.ts')))
  return {
    run(typing) {
      child.send(typing)
      return nextResult(child)
    },
    close: () => endProgram(child, 'SIGKILL'),
  }
}

/** Sends what it receives to all clients of the same address. */
export async function startRelay(): Promise<Peer> {
  const child = track(fork(fileOf('test/bench/relay-process.ts')))
  const port = await nextResult<number>(child)
  return { port, pid: child.pid!, close: () => endProgram(child, 'SIGKILL') }
}

export interface WaitingClients {
  gather(order: WaitOrder): Promise<ReleaseResult>
  close(): Promise<void>
}

export function startWaitingClients(): WaitingClients {
  const child = track(fork(fileOf('test/bench/crowd-process.ts')))
  return {
    gather(order) {
      child.send(order)
      return nextResult(child)
    },
    close: () => endProgram(child, 'SIGKILL'),
  }
}

export interface Peer {
  port: number
  pid: number
  close(): Promise<void>
}

/** Starts any other program; its standard error can be read. */
export const startProgram = (command: string, args: string[]): ChildProcess =>
  track(spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] }))

/** Starts a module of the bench. @returns `nextResult`: waits for its next message */
export function startModule(
  path: string,
  args: string[],
): { child: ChildProcess; nextResult: <T>() => Promise<T> } {
  const child = track(fork(fileOf(path), args))
  return { child, nextResult: () => nextResult(child) }
}

/** Workroom as in production: by its command line, with its log in a file. */
export interface Served {
  port: number
  pid: number
  /** When the process started (`performance.now()`). */
  startedMs: number
  /** From then until it listens. */
  startMs: number
  close(): Promise<void>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
}

/**
 * @param nodeArguments such as those of a profiler
 * @param port 0: any free port
 */
export async function serve(home: string, nodeArguments: string[] = [], port = 0): Promise<Served> {
  const log = openSync(join(home, '..', 'server.log'), 'a')
  const startedMs = performance.now()
  const child = track(
    spawn(
      process.execPath,
      [...nodeArguments, fileOf('bin/workroom.ts'), 'serve', '--home', home, '--port', `${port}`],
      { stdio: ['ignore', 'pipe', log] },
    ),
  )
  const actualPort = await listening(child)
  return {
    port: actualPort,
    pid: child.pid!,
    startedMs,
    startMs: performance.now() - startedMs,
    close: () => endProgram(child, 'SIGTERM'),
    kill: () => endProgram(child, 'SIGKILL'),
  }
}

async function listening(child: ChildProcess): Promise<number> {
  let printed = ''
  // The server later prints how much it has ingested.
  const output = child.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false })
  for await (const text of output) {
    printed += text
    const port = /^listening on http:\/\/\S+:(\d+)\n/m.exec(printed)?.[1]
    if (port === undefined) continue
    child.stdout!.resume()
    return Number(port)
  }
  throw new Error(`The server ended before it listened: ${printed}`)
}
