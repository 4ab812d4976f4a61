import { suggestName } from '../server/closest-name.ts'
import { settings } from './settings.ts'

const prefix = 'WORKROOM_'

/** Not settings: the home, and what examples and tests use. */
const otherNames = ['WORKROOM_HOME', 'WORKROOM_KEY', 'WORKROOM_URL', 'WORKROOM_CHROMIUM']

/** Returns one warning for each variable that resembles a setting but is none, sorted by name. */
export function unknownVariableWarnings(environment: NodeJS.ProcessEnv): string[] {
  const known = [...settings.map(({ variable }) => variable), ...otherNames]
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.includes(name))
    .sort()
    .map((name) => {
      const suggestion = suggestName(withoutPrefix(name), known.map(withoutPrefix))
      const hint =
        suggestion === null
          ? 'docs/operations.md lists the settings.'
          : `Did you mean ${prefix}${suggestion}?`
      return `The variable ${name} is not a setting and has no effect. ${hint}`
    })
}

const withoutPrefix = (name: string) => name.slice(prefix.length)
