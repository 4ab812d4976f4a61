import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm test`: checks types and lint, builds, and has tap run all test files as they are built.
 * `npm test -- test/server/fs/writes.test.ts`: builds, and runs these files alone. What begins with `-` is for tap.
 */
const words = process.argv.slice(2)
const files = words.filter((word) => !word.startsWith('-'))

if (files.length === 0) for (const check of ['types', 'lint']) run('npm', ['run', '--silent', check])
run(process.execPath, ['scripts/build.js', ...(files.every(isFile) ? partsFor(files) : [])])
// A first run would rebuild tap without the plugins that are off here, and still start every test with them.
if (isTapAsInstalled()) run('tap', ['build'])
run('tap', ['run', ...words.map((word) => (word.startsWith('-') ? word : built(word)))])

/** What these files need, which takes far less time to build than everything. @param {string[]} files */
function partsFor(files) {
  return files.length > 0 ? ['dist', 'program', 'parts', 'tests', ...files] : []
}

/** Whether it names one file, rather than a pattern of them. @param {string} word */
function isFile(word) {
  return existsSync(word)
}

/** @param {string} file of the sources */
function built(file) {
  return join('dist', file.replace(/\.ts$/, '.js'))
}

/** Ends this process where the program fails. @param {string} program @param {string[]} args */
function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** Whether tap still has all the plugins that it is installed with. */
function isTapAsInstalled() {
  const plugins = readFileSync('node_modules/@tapjs/test/test-built/dist/esm/index.js', 'utf8')
  return plugins.includes('@tapjs/typescript')
}
