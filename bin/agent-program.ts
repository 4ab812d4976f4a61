import { spawn } from 'node:child_process'

/** What a program printed, or why it failed; neither if it printed nothing. */
export interface ProgramResult {
  body?: string
  error?: string
}

const maxOutputBytes = 64 * 1024
/** Counted from SIGTERM. */
const killAfterMs = 5000

/** Runs a program once, with `input` as its standard input. */
export function runProgram(
  [file, ...args]: readonly string[],
  input: string,
  timeoutMs: number,
): Promise<ProgramResult> {
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
      // The program may end without reading all of its input.
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

/** Ends a program and everything that it has started. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal)
    } catch {
      // It has already ended.
    }
  }
  send('SIGTERM')
  setTimeout(() => send('SIGKILL'), killAfterMs).unref()
}
