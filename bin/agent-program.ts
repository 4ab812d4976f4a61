import { spawn } from 'node:child_process'

/** What a program has answered to a wake: a text, nothing, or why there is none. */
export interface ProgramAnswer {
  body?: string
  error?: string
}

const maxOutputBytes = 64 * 1024
/** After it was asked to end. */
const killAfterMs = 5000

/**
 * Runs a program once.
 * @param input for its standard input
 */
export function runProgram(
  [file, ...args]: readonly string[],
  input: string,
  timeoutMs: number,
): Promise<ProgramAnswer> {
  return new Promise((resolve) => {
    const child = spawn(file!, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true })
    const output: Buffer[] = []
    let bytes = 0
    let problem: string | undefined
    const end = (reason: string) => {
      if (problem !== undefined) return
      problem = reason
      endGroup(child.pid)
    }
    const timer = setTimeout(() => end(`was stopped after ${timeoutMs / 1000} seconds`), timeoutMs)
    child.stdin.on('error', () => {
      // It may end without reading all of it.
    })
    child.stdin.end(input)
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxOutputBytes) end(`printed more than ${maxOutputBytes} bytes`)
      else output.push(chunk)
    })
    child.once('error', ({ message }) => {
      clearTimeout(timer)
      resolve({ error: `could not be started: ${message}` })
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (problem === undefined && code !== 0) problem = `ended with ${code ?? signal}`
      if (problem !== undefined) return resolve({ error: problem })
      const body = Buffer.concat(output).toString().trim()
      resolve(body === '' ? {} : { body })
    })
  })
}

/** Ends a program with all that it has started. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal)
    } catch {
      // It has ended.
    }
  }
  send('SIGTERM')
  setTimeout(() => send('SIGKILL'), killAfterMs).unref()
}
