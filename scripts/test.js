import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm test` checks types and lint, builds, and runs all tests. `npm test -- FILE…` builds and runs these
 * files alone; arguments that begin with `-` go to tap.
 */
const argv = process.argv.slice(2)
const files = argv.filter((arg) => !arg.startsWith('-'))

if (files.length === 0) for (const check of ['types', 'lint']) run('npm', ['run', '--silent', check])
run(process.execPath, ['scripts/build.js', ...(files.every(isFile) ? partsFor(files) : [])])
// A first run would rebuild tap without the plugins disabled here, yet start each test with them.
if (isTapUnbuilt()) run('tap', ['build'])
run('tap', ['run', ...argv.map((arg) => (arg.startsWith('-') ? arg : built(arg)))])

/** The groups that these files need, which build faster than everything. @param {string[]} files */
function partsFor(files) {
  return files.length > 0 ? ['dist', 'program', 'parts', 'tests', ...files] : []
}

/** Whether this is a file, not a pattern. @param {string} path */
function isFile(path) {
  return existsSync(path)
}

/** @param {string} file */
function built(file) {
  return join('dist', file.replace(/\.ts$/, '.js'))
}

/** Exits with the program's status if it fails. @param {string} program @param {string[]} args */
function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function isTapUnbuilt() {
  const plugins = readFileSync('node_modules/@tapjs/test/test-built/dist/esm/index.js', 'utf8')
  return plugins.includes('@tapjs/typescript')
}
