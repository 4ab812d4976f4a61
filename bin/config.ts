import { LineCounter, parseDocument } from 'yaml'
import { type Config, defaultConfig } from '../core/config.ts'
import { readSettings } from '../data/home.ts'
import { allowListProblems } from '../data/outbound/allow-list.ts'
import { suggestName } from '../server/closest-name.ts'
import { type Setting, settings } from './settings.ts'

class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration cannot be used: ${problems.join('; ')}.`)
    this.name = 'ConfigError'
  }
}

export interface ConfigSources {
  /** By setting, such as `port`. Flags take precedence over variables, and those over the file. */
  flags: Readonly<Record<string, string | undefined>>
  environment: Readonly<Record<string, string | undefined>>
  /** The text of `workroom.yaml`; null if there is none. */
  file: string | null
}

interface ConfiguredValue {
  value: unknown
  /** Where the value was set, as shown to the operator. */
  source: string
}

const fileName = 'workroom.yaml'

/** Combines sources and defaults (`docs/operations.md#settings`). @throws ConfigError with all problems */
export function readConfig(sources: ConfigSources): Config {
  const problems: string[] = []
  const file = readFile(sources.file, problems)
  const config = structuredClone(defaultConfig)
  for (const setting of settings) {
    const configured = configuredValue(setting, sources, file)
    if (!configured) continue
    const result = setting.schema.safeParse(configured.value)
    if (result.success) assign(config, setting.key, result.data)
    else
      problems.push(
        `${setting.key} (${configured.source}) must be ${setting.expects}${quoted(setting, configured.value)}`,
      )
  }
  if (config.smtp.host !== null && config.smtp.from === null) {
    problems.push('smtp.from must be set where smtp.host is')
  }
  for (const problem of allowListProblems(config.outbound.allow)) {
    problems.push(`outbound.allow has ${problem}`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** The setting `disk.private` of a home. @throws ConfigError */
export const isPrivateHome = (home: string, environment: NodeJS.ProcessEnv): boolean =>
  readConfig({ flags: {}, environment, file: readSettings(home) }).disk.private

/** Returns one warning for each variable that resembles a setting but is none, sorted by name. */
export function unknownVariableWarnings(environment: NodeJS.ProcessEnv): string[] {
  const known = [...settings.map(({ variable }) => variable), ...otherVariables]
  return Object.keys(environment)
    .filter((name) => name.startsWith(variablePrefix) && !known.includes(name))
    .sort()
    .map((name) => {
      const suggestion = suggestName(withoutPrefix(name), known.map(withoutPrefix))
      const hint =
        suggestion === null
          ? 'docs/operations.md lists the settings.'
          : `Did you mean ${variablePrefix}${suggestion}?`
      return `The variable ${name} is not a setting and has no effect. ${hint}`
    })
}

const variablePrefix = 'WORKROOM_'

/** Not settings: the home, and what examples and tests use. */
const otherVariables = ['WORKROOM_HOME', 'WORKROOM_KEY', 'WORKROOM_URL', 'WORKROOM_CHROMIUM']

const withoutPrefix = (name: string) => name.slice(variablePrefix.length)

/** An empty variable counts as not set: service managers' unit files leave such. */
function configuredValue(
  setting: Setting,
  sources: ConfigSources,
  file: Map<string, unknown>,
): ConfiguredValue | null {
  const flag = sources.flags[setting.key]
  if (flag !== undefined) return { value: flag, source: `--${setting.key}` }
  const text = sources.environment[setting.variable]
  if (text !== undefined && text !== '') return { value: text, source: setting.variable }
  const value = file.get(setting.key)
  return value === undefined || value === null ? null : { value, source: fileName }
}

function readFile(text: string | null, problems: string[]): Map<string, unknown> {
  const values = new Map<string, unknown>()
  const root = text === null ? null : parse(text, problems)
  if (root === null) return values
  if (!isMap(root)) {
    problems.push(`${fileName} must be a map of settings, such as port: 8080`)
    return values
  }
  collect(root, '', values, problems)
  return values
}

function parse(text: string, problems: string[]): unknown {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (!error) return document.toJS({ maxAliasCount: 100 })
  problems.push(`${fileName} is not valid YAML in line ${lines.linePos(error.pos[0]).line}: ${error.message}`)
  return null
}

function collect(
  map: Record<string, unknown>,
  prefix: string,
  values: Map<string, unknown>,
  problems: string[],
): void {
  for (const [name, value] of Object.entries(map)) {
    const key = prefix + name
    if (settings.some((setting) => setting.key === key)) values.set(key, value)
    else if (!settings.some((setting) => setting.key.startsWith(`${key}.`))) {
      problems.push(`${fileName} sets ${key}, which is not a setting`)
    } else if (isMap(value)) collect(value, `${key}.`, values, problems)
    else if (value !== null) problems.push(`${key} (${fileName}) must be a map of settings`)
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const quoted = ({ key }: Setting, value: unknown) =>
  key === 'smtp.password' ? '' : `, not ${JSON.stringify(value)}`

function assign(config: Config, key: string, value: unknown): void {
  const names = key.split('.')
  const last = names.pop()!
  const part = names.reduce<object>((outer, name) => Reflect.get(outer, name), config)
  Reflect.set(part, last, value)
}
