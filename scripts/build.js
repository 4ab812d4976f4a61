import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * `node scripts/build.js [folder [group | test file …]]` builds everything, tests included, into `dist`, or a
 * part into another folder, which is replaced once the build is complete. Bundling makes the start fast: Node
 * takes almost a millisecond per file, and a server has more than a thousand.
 */

// npm also runs `prepare` in production installations, which lack esbuild: the existing build is used.
if (process.env.npm_lifecycle_event === 'prepare' && !existsSync('node_modules/esbuild')) process.exit(0)
const { build } = await import('esbuild')
const { buildClient } = await import('./build-client.js')
const { cachedConstructs } = await import('./cached-constructs.js')
const { sharedCompileContext } = await import('./shared-compile-context.js')

const [folder = 'dist', ...parts] = process.argv.slice(2)
const testFiles = parts.filter((part) => part.endsWith('.ts'))
const groupNames = parts.filter((part) => !testFiles.includes(part))
const unfinished = `${folder}.new-${process.pid}`
const previous = `${folder}.old-${process.pid}`

const external = ['better-sqlite3', 'pino', ...devDependenciesExcept('tap', 'tap-parser')]

/** Files that are started or loaded by name. A group shares chunks: the more code in common, the fewer. */
const groups = {
  program: () => [
    'bin/workroom.ts',
    ...filesIn('core/markdown', /(?:worker|task-thread)\.ts$/),
    ...filesIn('data/backup', /-process\.ts$/),
    'core/search/search-thread.ts',
    'data/checkpoint-thread.ts',
  ],
  tests: () => [
    ...(testFiles.length > 0 ? testFiles : filesIn('test', /\.test\.ts$/)),
    'test/support/run.ts',
    'test/support/test-process.ts',
    'test/support/write-response-validators.ts',
  ],
  // Loaded by processes that tests start.
  parts: () => [
    'test/server/durability/killable-server.ts',
    'test/server/foundation/journeys-process.ts',
    'core/markdown/index.ts',
    'data/tree/home-lock.ts',
    'server/log.ts',
  ],
  bench: () => filesIn('test/bench', /(?:-process|run)\.ts$/),
  hostile: () => filesIn('test/hostile', /(?:-process|run)\.ts$/),
}

/**
 * Many test files share a process: what each imports as `tap` is a test of its own.
 * @type {import('esbuild').Plugin}
 */
const fileTests = {
  name: 'file-tests',
  setup({ onResolve }) {
    onResolve({ filter: /^tap$/ }, ({ importer }) =>
      importer.endsWith('.test.ts') ? { path: resolve('test/support/file-test.ts') } : null,
    )
  },
}

/** @type {import('esbuild').BuildOptions} */
const options = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  external,
  plugins: [cachedConstructs, sharedCompileContext, fileTests],
  outbase: '.',
  outdir: unfinished,
  chunkNames: 'chunks/[name]-[hash]',
  sourcesContent: false,
  // Bundled CommonJS packages call `require`.
  banner: {
    js: "import { createRequire as requireAt } from 'node:module';const require = requireAt(import.meta.url);",
  },
  sourcemap: true,
  // Shorter files load faster.
  minifyWhitespace: true,
  lineLimit: 120,
  logLevel: 'warning',
}

/**
 * No comment names the map: `--enable-source-maps` would read it in each test process.
 * @type {import('esbuild').BuildOptions}
 */
const forTests = { sourcemap: 'external' }

try {
  await Promise.all([
    ...Object.entries(groups)
      .filter(([name]) => groupNames.length === 0 || groupNames.includes(name))
      .map(([name, entryPoints]) =>
        build({ ...options, ...(name === 'tests' && forTests), entryPoints: entryPoints() }),
      ),
    buildClient(join(unfinished, 'client')),
  ])
  cpSync('data/schema', join(unfinished, 'data/schema'), { recursive: true })
  // Shown at /help.
  for (const name of ['README.md', 'CONTRIBUTING.md', ...filesIn('docs', /\.md$/)])
    cpSync(name, join(unfinished, name))
  const lastStep = join(unfinished, 'test/support/write-response-validators.js')
  if (existsSync(lastStep)) execFileSync(process.execPath, [lastStep], { stdio: 'inherit' })
  const program = join(unfinished, 'bin/workroom.js')
  if (existsSync(program)) chmodSync(program, 0o755)
  if (existsSync(folder)) renameSync(folder, previous)
  renameSync(unfinished, folder)
} finally {
  for (const leftover of [unfinished, previous]) rmSync(leftover, { recursive: true, force: true })
}

/** @param {string} name @param {RegExp} pattern @returns {string[]} */
function filesIn(name, pattern) {
  const files = readdirSync(name, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => pattern.test(file)).map((file) => join(name, file))
}

/** The packages that only development needs. @param {string[]} names @returns {string[]} */
function devDependenciesExcept(...names) {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.keys(devDependencies).filter((tool) => !names.includes(tool))
}
