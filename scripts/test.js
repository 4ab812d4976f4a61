import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'

/**
 * `npm test` checks types and lint, builds, and runs all tests. `npm test -- FILE…` builds and runs these files or folders
 * alone; arguments that begin with `-` go to test/support/run.ts.
 */
const argv = process.argv.slice(2)
const names = argv.filter((arg) => !arg.startsWith('-'))
const isWhole = names.length === 0
for (const name of names) {
  if (existsSync(name)) continue
  console.error(`There is no ${name}. Name test files or folders, as in: npm test -- test/server/fs`)
  process.exit(2)
}

await Promise.all([
  ...(isWhole ? ['types', 'lint'].map((check) => run('npm', ['run', '--silent', check])) : []),
  run(process.execPath, ['scripts/build.js', ...partsToBuild()]),
])
await run(process.execPath, ['dist/test/support/run.js', ...argv])

/** The groups that these files need, which build faster than everything. */
function partsToBuild() {
  const isOnlyFiles = !isWhole && names.every((name) => statSync(name).isFile())
  return isOnlyFiles ? ['dist', 'program', 'parts', 'tests', ...names] : []
}

/** Ends this process with the program's status if that fails. @param {string} program @param {string[]} args */
function run(program, args) {
  return new Promise((resolve) => {
    spawn(program, args, { stdio: 'inherit' }).on('close', (status) => {
      if (status !== 0) process.exit(status ?? 1)
      resolve(undefined)
    })
  })
}
