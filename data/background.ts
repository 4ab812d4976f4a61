import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { programModule } from './program.ts'

const niceness = 10
const maxOutputLength = 64 * 1024

/**
 * Runs a module (path of its source, from the root) in a low-priority child process; returns its output.
 * @throws AbortError if `signal` is aborted; Error with the process's message if it failed
 */
export function runInChildProcess(
  module: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const file = fileURLToPath(programModule(module))
  const child = spawn(process.execPath, [...process.execArgv, file, ...args], {
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  lowerPriority(child)
  const output = collect(child.stdout)
  const errorOutput = collect(child.stderr)
  return ended.then((code) => {
    if (code === 0) return output()
    throw new Error(errorOutput().slice(-2000).trim() || `The process ended with ${code}.`)
  })
}

function collect(stream: NodeJS.ReadableStream | null | undefined): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-maxOutputLength)
  })
  return () => text
}

/** The process may have ended, or the system may not allow it. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
