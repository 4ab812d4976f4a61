#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { isSource, programFile } from '../core/program.ts'
import {
  Arguments,
  type CommandLine,
  commandWords,
  type Flag,
  readCommandLine,
  UsageError,
} from './arguments.ts'
import { type Command, commands, usageOf } from './commands.ts'

/** The command line (`docs/operations.md#the-command-line`): each command makes one call into core. */
async function main(argv: string[]): Promise<number> {
  try {
    const line = readCommandLine(argv)
    if (line.version) return print(version())
    const shown = commandsNamed(line.words)
    if (line.help || line.words.length === 0 || line.words[0] === 'help') return print(usageOf(shown))
    const { command, operand } = requireCommand(line, shown)
    return (await command.run(new Arguments(line, process.env, operand))) ?? 0
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`workroom: ${error.message}\n\n${usageOf(commandsWithPrefix(commandWords(argv)))}`)
      return 2
    }
    process.stderr.write(`workroom: ${errorText(error)}\n`)
    return 1
  }
}

/** The commands that the words match: one, a group such as `key`, or all where none match. */
function commandsNamed(words: string[]): readonly Command[] {
  const name = (words[0] === 'help' ? words.slice(1) : words).join(' ')
  const named = commands.filter(
    (command) =>
      command.words === name ||
      command.words.startsWith(`${name} `) ||
      (command.operand !== undefined && name.startsWith(`${command.words} `)),
  )
  return named.length > 0 ? named : commands
}

/** The commands of the longest prefix that matches, since one word too many may be the mistake. */
function commandsWithPrefix(words: string[]): readonly Command[] {
  const named = commandsNamed(words)
  return named.length < commands.length || words.length === 0 ? named : commandsWithPrefix(words.slice(0, -1))
}

function requireCommand(line: CommandLine, shown: readonly Command[]): { command: Command; operand: string } {
  const name = line.words.join(' ')
  const command = shown.find(({ words, operand }) => (operand ? words === line.words[0] : words === name))
  if (!command) {
    const isGroup = shown.length < commands.length
    throw new UsageError(isGroup ? `${name} is ambiguous` : `unknown command ${name}`)
  }
  const given = [...Object.keys(line.texts), ...(line.json ? ['json'] : [])] as Flag[]
  const foreign = given.find((flag) => flag !== 'home' && !command.flags.includes(flag))
  if (foreign) throw new UsageError(`${command.words} does not accept --${foreign}`)
  if (line.program.length > 0 && !command.takesProgram)
    throw new UsageError(`${command.words} takes no program after --`)
  const [operand = '', ...more] = command.operand ? line.words.slice(1) : []
  if (command.operand && (operand === '' || more.length > 0))
    throw new UsageError(`${command.words} takes one ${command.operand}`)
  return { command, operand }
}

function version(): string {
  const place = programFile(isSource ? 'package.json' : '../package.json')
  const manifest = JSON.parse(readFileSync(place, 'utf8')) as { version: string }
  return `${manifest.version}\n`
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
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
  const isFault = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
  return (isFault && error.stack) || error.message.replace(/\s*\n\s*/g, ' ')
}

// The code is bundled; stack traces refer to the sources.
process.setSourceMapsEnabled(true)
process.exitCode = await main(process.argv.slice(2))
