import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { commands } from '../../bin/commands.ts'
import { settings } from '../../bin/settings.ts'
import { testFolder } from '../support/test-folder.ts'
import { serve } from './serve-workroom.ts'

const operations = readFileSync('docs/operations.md', 'utf8')

/** Returns a default as the table of settings shows it. */
function written(fallback: unknown): string {
  if (fallback === null) return 'none'
  return `\`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\``
}

t.test('every setting is documented with its variable, default and description', async (t) => {
  for (const { key, variable, fallback, description: meaning } of settings) {
    t.match(operations, `| \`${key}\` | \`${variable}\` | ${written(fallback)} | ${meaning} |`)
  }
})

t.test('every command is documented with its usage and summary', async (t) => {
  for (const { name, operand, usage, summary } of commands) {
    const line = [name, operand, usage].filter(Boolean).join(' ')
    t.match(operations, `- \`workroom ${line}\`: ${summary}`)
  }
})

t.test('the five minutes of the README work when pasted', async (t) => {
  const home = join(testFolder(t), 'workspace')
  const { url, printed, child, ended } = await serve(t, home)
  const block = /## Five minutes[\s\S]*?```sh\n([\s\S]*?)```/.exec(readFileSync('README.md', 'utf8'))![1]!
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-ec', block.replaceAll('http://127.0.0.1:4747', url)],
    {
      cwd: join(home, '..'),
      env: { ...process.env, WORKROOM_KEY: printed.match(/wr_\w{43}/)![0] },
    },
  )
  t.notMatch(stdout, /"requestId"/, 'no command is refused')
  t.match(stdout, /# Field notes\n\nFirst note.\nSecond note, from the disk.\n/)
  t.match(stdout, /"via":"disk".*"via":"api"/)
  child.kill('SIGTERM')
  t.match(await ended, { code: 0 })
})
