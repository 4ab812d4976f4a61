import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `node scripts/build.js [folder [group | test file …]]`: builds all that runs, tests included, into `dist`, or some of it into another
 * folder. It is built beside that folder, and takes its place when it is whole.
 * Modules and packages are bundled together: Node takes almost a millisecond for every file that it loads, and a server has
 * more than a thousand. Types are not looked at here (`npm run types`).
 */

// npm prepares an installation for use alone as well, which has no tools: what was built before is used there.
if (process.env.npm_lifecycle_event === 'prepare' && !existsSync('node_modules/esbuild')) process.exit(0)
const { build } = await import('esbuild')
const { buildClient } = await import('./build-client.js')
const { sharedCompileContext } = await import('./shared-compile-context.js')

const [folder = 'dist', ...words] = process.argv.slice(2)
const testFiles = words.filter((word) => word.endsWith('.ts'))
const names = words.filter((word) => !testFiles.includes(word))
const unfinished = `${folder}.new-${process.pid}`
const former = `${folder}.old-${process.pid}`

/** Packages that are loaded from `node_modules`. */
const beside = [
  // Native code.
  'better-sqlite3',
  // These run files of their own in threads.
  'pino',
  'piscina',
  ...toolsOtherThan('tap', 'tap-parser'),
]

/**
 * What is started or loaded by its name. The files of one group share their code, in chunks that are loaded by all that need
 * all of it: the more they have in common, the fewer chunks there are.
 */
const groups = {
  program: () => [
    'bin/workroom.ts',
    ...filesIn('core/markdown', /worker\.ts$/),
    ...filesIn('data/backup', /-process\.ts$/),
    'core/search/search-thread.ts',
    'data/checkpoint-thread.ts',
  ],
  tests: () => [
    ...(testFiles.length > 0 ? testFiles : filesIn('test', /\.test\.ts$/)),
    // tap loads these itself.
    'test/support/plain-processes.ts',
    'test/support/reporter.ts',
    'test/support/write-answer-validators.ts',
  ],
  // Loaded by processes that tests start.
  parts: () => [
    'test/server/durability/killable-server.ts',
    'core/markdown/index.ts',
    'data/tree/home-lock.ts',
    'server/log.ts',
  ],
  bench: () => filesIn('test/bench', /(?:-process|run)\.ts$/),
  hostile: () => filesIn('test/hostile', /(?:-process|run)\.ts$/),
}

/** @type {import('esbuild').BuildOptions} */
const options = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  external: beside,
  plugins: [sharedCompileContext],
  outbase: '.',
  outdir: unfinished,
  chunkNames: 'chunks/[name]-[hash]',
  sourcesContent: false,
  // Packages that are CommonJS require what Node has.
  banner: {
    js: "import { createRequire as requireAt } from 'node:module';const require = requireAt(import.meta.url);",
  },
  sourcemap: true,
  // A process takes less time to read it.
  minifyWhitespace: true,
  lineLimit: 120,
  logLevel: 'warning',
}

/**
 * Each file of tests is a process of its own, under `--enable-source-maps`, which reads each map that a file names.
 * @type {import('esbuild').BuildOptions}
 */
const forTests = { sourcemap: 'external' }

try {
  await Promise.all([
    ...Object.entries(groups)
      .filter(([name]) => names.length === 0 || names.includes(name))
      .map(([name, entryPoints]) =>
        build({ ...options, ...(name === 'tests' && forTests), entryPoints: entryPoints() }),
      ),
    buildClient(join(unfinished, 'client')),
  ])
  cpSync('data/schema', join(unfinished, 'data/schema'), { recursive: true })
  // What /help shows.
  for (const name of ['README.md', 'CONTRIBUTING.md', ...filesIn('docs', /\.md$/)])
    cpSync(name, join(unfinished, name))
  const lastStep = join(unfinished, 'test/support/write-answer-validators.js')
  if (existsSync(lastStep)) execFileSync(process.execPath, [lastStep], { stdio: 'inherit' })
  const program = join(unfinished, 'bin/workroom.js')
  if (existsSync(program)) chmodSync(program, 0o755)
  if (existsSync(folder)) renameSync(folder, former)
  renameSync(unfinished, folder)
} finally {
  for (const left of [unfinished, former]) rmSync(left, { recursive: true, force: true })
}

/** @param {string} name @param {RegExp} pattern @returns {string[]} */
function filesIn(name, pattern) {
  const files = readdirSync(name, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => pattern.test(file)).map((file) => join(name, file))
}

/** @param {string[]} names @returns {string[]} the packages that only those who work on this need */
function toolsOtherThan(...names) {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.keys(devDependencies).filter((tool) => !names.includes(tool))
}
