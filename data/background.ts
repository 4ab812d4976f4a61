import { type ChildProcess, spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { programModule } from './program.ts'

const niceness = 10
const maxOutput = 64 * 1024

/**
 * Runs a module (path of its source, from the top) in a low-priority child process; returns its output.
 * @throws AbortError if `ending` fired; Error with the process's message if it failed
 */
export function runInChildProcess(
  module: string,
  args: readonly string[],
  ending: AbortSignal,
): Promise<string> {
  const file = fileURLToPath(programModule(module))
  const child = spawn(process.execPath, [...process.execArgv, file, ...args], {
    signal: ending,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  lowerPriority(child)
  const printed = collect(child.stdout)
  const complaint = collect(child.stderr)
  return ended.then((code) => {
    if (code === 0) return printed()
    throw new Error(complaint().slice(-2000).trim() || `The process ended with ${code}.`)
  })
}

function collect(stream: NodeJS.ReadableStream | null | undefined): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-maxOutput)
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
