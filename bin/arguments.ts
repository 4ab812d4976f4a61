import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const textFlags = [
  'home',
  'port',
  'host',
  'name',
  'owner',
  'email',
  'type',
  'role',
  'member',
  'scopes',
  'key',
  'slug',
  'lead',
  'project',
  'room',
  'uses',
  'invite',
  'url',
  'events',
  'delivery',
  'confirm-deletions',
  'timeout',
  'concurrency',
] as const
type TextFlag = (typeof textFlags)[number]
export type Flag = TextFlag | 'json'

/** What a command uses of its process. */
export interface CommandContext {
  env: NodeJS.ProcessEnv
  stdout: OutputStream
  stderr: OutputStream
}

interface OutputStream {
  write(text: string): unknown
  isTTY?: boolean
}

/** Arguments that no command can take. Printed with the usage. */
export class UsageError extends Error {}

export interface CommandLine {
  positionals: string[]
  /** What follows `--`: a program with its arguments. */
  program: string[]
  flagValues: Partial<Record<TextFlag, string>>
  json: boolean
  help: boolean
  version: boolean
}

const options = {
  ...Object.fromEntries(textFlags.map((flag) => [flag, { type: 'string' as const }])),
  json: { type: 'boolean' as const },
  help: { type: 'boolean' as const, short: 'h' },
  version: { type: 'boolean' as const },
}

/** Returns the positional arguments of a command line even if its flags are wrong. */
export const positionalsIn = (argv: string[]): string[] =>
  parseArgs({ args: argv, allowPositionals: true, strict: false, options }).positionals

export function readCommandLine(argv: string[]): CommandLine {
  const end = argv.indexOf('--')
  const program = end === -1 ? [] : argv.slice(end + 1)
  const args = end === -1 ? argv : argv.slice(0, end)
  try {
    const { positionals, values } = parseArgs({ args, allowPositionals: true, options })
    const { json = false, help = false, version = false, ...flagValues } = values
    return { positionals, program, flagValues, json, help, version }
  } catch (error) {
    const isUsage =
      error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    throw isUsage ? new UsageError(error.message.split('. ', 1)[0]) : error
  }
}

export class Arguments {
  readonly context: CommandContext
  readonly home: string
  readonly json: boolean
  readonly operand: string
  readonly program: readonly string[]
  private readonly flagValues: CommandLine['flagValues']

  constructor(line: CommandLine, context: CommandContext, operand = '') {
    this.context = context
    this.operand = operand
    this.program = line.program
    this.home = resolve(line.flagValues.home ?? (context.env.WORKROOM_HOME || 'workspace'))
    this.json = line.json
    this.flagValues = line.flagValues
  }

  text(flag: TextFlag): string | undefined {
    return this.flagValues[flag]
  }

  require(flag: TextFlag): string {
    const value = this.flagValues[flag]
    if (value === undefined) throw new UsageError(`--${flag} is missing`)
    return value
  }

  wholeNumber(flag: TextFlag, max: number): number | undefined {
    const value = this.flagValues[flag]
    if (value === undefined) return undefined
    if (/^[1-9]\d*$/.test(value) && Number(value) <= max) return Number(value)
    throw new UsageError(`--${flag} must be a whole number from 1 to ${max}, not ${JSON.stringify(value)}`)
  }

  oneOf<Choice extends string>(flag: TextFlag, choices: readonly Choice[]): Choice | undefined {
    const value = this.flagValues[flag]
    const choice = choices.find((one) => one === value)
    if (value !== undefined && choice === undefined) {
      throw new UsageError(`--${flag} must be ${choices.join(' or ')}, not ${JSON.stringify(value)}`)
    }
    return choice
  }

  /** Prints one object on one line with `--json`, else the text. */
  print(record: object, text: string): void {
    this.context.stdout.write(this.json ? `${JSON.stringify(record)}\n` : `${text}\n`)
  }
}
