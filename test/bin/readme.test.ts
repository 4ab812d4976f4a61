import { readFileSync } from 'node:fs'
import t from 'tap'
import { commands } from '../../bin/commands.ts'
import { settings } from '../../bin/settings.ts'

const readme = readFileSync('README.md', 'utf8')

/** How a default is written: as in the file of settings, and in words where there is none. */
function written(fallback: unknown): string {
  if (fallback === null) return 'none'
  return `\`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\``
}

t.test('every setting is in the README, with its variable, its default and what it does', async (t) => {
  for (const { key, variable, fallback, meaning } of settings) {
    t.match(readme, `| \`${key}\` | \`${variable}\` | ${written(fallback)} | ${meaning} |`)
  }
})

t.test('every command is in the README, as its usage says it', async (t) => {
  for (const { words, usage, summary } of commands) {
    t.match(readme, `- \`workroom ${words} ${usage}\`: ${summary}`)
  }
})
