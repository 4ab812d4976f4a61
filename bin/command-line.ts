import { readFileSync } from 'node:fs'
import { isSource, programFile } from '../core/program.ts'
import {
  Arguments,
  type CommandContext,
  type CommandLine,
  type Flag,
  positionalsIn,
  readCommandLine,
  UsageError,
} from './arguments.ts'
import { type Command, commands, usageOf } from './commands.ts'

/**
 * The command line (`docs/operations.md#the-command-line`): each command makes one call into core.
 * @returns the exit status
 */
export async function runCommandLine(argv: string[], context: CommandContext): Promise<number> {
  const print = (text: string) => {
    context.stdout.write(text)
    return 0
  }
  try {
    const line = readCommandLine(argv)
    if (line.version) return print(version())
    const candidates = commandsNamed(line.positionals)
    if (line.help || line.positionals.length === 0 || line.positionals[0] === 'help')
      return print(usageOf(candidates))
    const { command, operand } = requireCommand(line, candidates)
    return (await command.run(new Arguments(line, context, operand))) ?? 0
  } catch (error) {
    if (error instanceof UsageError) {
      context.stderr.write(
        `workroom: ${error.message}\n\n${usageOf(commandsWithPrefix(positionalsIn(argv)))}`,
      )
      return 2
    }
    context.stderr.write(`workroom: ${errorText(error)}\n`)
    return 1
  }
}

/** The commands that the arguments match: one, a group such as `key`, or all if none match. */
function commandsNamed(positionals: string[]): readonly Command[] {
  const name = (positionals[0] === 'help' ? positionals.slice(1) : positionals).join(' ')
  const matches = commands.filter(
    (command) =>
      command.name === name ||
      command.name.startsWith(`${name} `) ||
      (command.operand !== undefined && name.startsWith(`${command.name} `)),
  )
  return matches.length > 0 ? matches : commands
}

/** The commands of the longest prefix that matches, since one word too many may be the mistake. */
function commandsWithPrefix(positionals: string[]): readonly Command[] {
  const matches = commandsNamed(positionals)
  return matches.length < commands.length || positionals.length === 0
    ? matches
    : commandsWithPrefix(positionals.slice(0, -1))
}

function requireCommand(
  line: CommandLine,
  candidates: readonly Command[],
): { command: Command; operand: string } {
  const typed = line.positionals.join(' ')
  const command = candidates.find(({ name, operand }) =>
    operand ? name === line.positionals[0] : name === typed,
  )
  if (!command) {
    const isGroup = candidates.length < commands.length
    throw new UsageError(isGroup ? `${typed} is ambiguous` : `unknown command ${typed}`)
  }
  const flags = [...Object.keys(line.flagValues), ...(line.json ? ['json'] : [])] as Flag[]
  const unaccepted = flags.find((flag) => flag !== 'home' && !command.flags.includes(flag))
  if (unaccepted) throw new UsageError(`${command.name} does not accept --${unaccepted}`)
  if (line.program.length > 0 && !command.takesProgram)
    throw new UsageError(`${command.name} takes no program after --`)
  const [operand = '', ...extra] = command.operand ? line.positionals.slice(1) : []
  if (command.operand && (operand === '' || extra.length > 0))
    throw new UsageError(`${command.name} takes one ${command.operand}`)
  return { command, operand }
}

function version(): string {
  const path = programFile(isSource ? 'package.json' : '../package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
  return `${manifest.version}\n`
}

const diskErrorTexts: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOTDIR: 'part of its path is not a folder',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
}

/** One line, or the stack for an internal error. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code = '', path } = error as NodeJS.ErrnoException
  const refusal = diskErrorTexts[code]
  if (refusal && path !== undefined) return `${path} cannot be used: ${refusal}.`
  const isInternal =
    error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
  return (isInternal && error.stack) || error.message.replace(/\s*\n\s*/g, ' ')
}
