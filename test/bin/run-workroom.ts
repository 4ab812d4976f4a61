import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { runCommandLine } from '../../bin/command-line.ts'
import { loaderArguments, moduleUrl } from '../support/run-as-built.ts'

/** The fields that commands answer with `--json`; each command has some of them. */
export interface CommandOutput {
  id: string
  key: string
  workspace: { id: string; name: string; slug: string }
  member: { id: string; name: string; type: string; role: string; status?: string }
  members: { id: string; name: string }[]
  keys: { id: string; scopes: string[]; lastUsedAt: number | null }[]
  findings: { path: string; problem: string; mend: string }[]
  documents: number
}

export interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
  /** Standard output, parsed as JSON. */
  json: CommandOutput
}

const entry = fileURLToPath(moduleUrl('bin/workroom.ts'))

/** Node's arguments for running the command line. */
export const nodeArguments = [...loaderArguments, entry]

/** Starts the command line in a process that ends with the test at the latest. @param flags for Node itself */
export function startWorkroom(
  t: Test,
  args: string[],
  environment: Record<string, string> = {},
  flags: readonly string[] = [],
) {
  return startProgram(t, process.execPath, [...flags, ...nodeArguments, ...args], environment)
}

/** Does the same for any program, such as a shell that runs the command line. */
export function startProgram(
  t: Test,
  program: string,
  args: string[],
  environment: Record<string, string> = {},
) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('WORKROOM_'))
  const child = spawn(program, args, {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const ending = ended(child, output)
  t.teardown(() => {
    child.kill('SIGKILL')
    return ending
  })
  return { child, output, ended: ending }
}

async function ended(
  child: ChildProcess,
  output: { stdout: string; stderr: string },
): Promise<CommandResult> {
  const [code] = (await once(child, 'close')) as [number | null]
  return resultOf(code, output)
}

const resultOf = (code: number | null, output: { stdout: string; stderr: string }): CommandResult => ({
  ...output,
  code,
  get json() {
    return JSON.parse(output.stdout)
  },
})

/** Runs a command in a process of its own to its end. */
export const runProcess = (t: Test, ...args: string[]): Promise<CommandResult> => startWorkroom(t, args).ended

/** Runs a command in this process, which takes a fraction of the time. */
export const runWorkroom = (...args: string[]): Promise<CommandResult> => runWorkroomWith({}, ...args)

/** Does the same with variables of the environment; of this process's it has none. */
export async function runWorkroomWith(
  env: Record<string, string>,
  ...args: string[]
): Promise<CommandResult> {
  const output = { stdout: '', stderr: '' }
  const streamTo = (name: keyof typeof output) => ({
    write(text: string) {
      output[name] += text
    },
  })
  const context = { env, stdout: streamTo('stdout'), stderr: streamTo('stderr') }
  return resultOf(await runCommandLine(args, context), output)
}
