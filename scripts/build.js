import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/**
 * `node scripts/build.js [folder [group | test file …]]` builds everything, tests included, into `dist`, or a
 * part into another folder, which is replaced once the build is complete. Bundling makes the start fast: Node
 * takes almost a millisecond per file, and a server has more than a thousand.
 */

const script = process.env.npm_lifecycle_event
if ((script === 'prepare' || script === 'start') && !existsSync('node_modules/esbuild')) useExistingBuild()
const { build } = await import('esbuild')
const { buildClient } = await import('./build-client.js')
const { cachedConstructs } = await import('./cached-constructs.js')
const { lineMap } = await import('./line-map.js')
const { sharedCompileContext } = await import('./shared-compile-context.js')

const [folder = 'dist', ...parts] = process.argv.slice(2)
const testFiles = parts.filter((part) => part.endsWith('.ts'))
const groupNames = parts.filter((part) => !testFiles.includes(part))
const unfinished = `${folder}.new-${process.pid}`
const previous = `${folder}.old-${process.pid}`

/** What the installed program loads from node_modules. Everything else is bundled. */
const dependencies = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies)

/** What only tests load. Some have files of their own, others take long to bundle. */
const testTools = [
  '@modelcontextprotocol/client',
  '@seriousme/openapi-schema-validator',
  'ajv',
  'axe-core',
  'esbuild',
  'fast-check',
  'nock',
  'openapi-typescript',
  'playwright-core',
  'quicktype-core',
  'smtp-server',
]

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
  external: [...dependencies, ...testTools],
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
        name === 'program'
          ? buildProgram(entryPoints())
          : build({ ...options, ...(name === 'tests' && forTests), entryPoints: entryPoints() }),
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

/** Ends this process: an installation without the development dependencies cannot build. */
function useExistingBuild() {
  const isMissing = script === 'start' && !existsSync('dist/bin/workroom.js')
  if (isMissing) console.error('There is no build to start. Run npm ci, which makes one, first.')
  process.exit(isMissing ? 1 : 0)
}

/** What is installed is small: its names are short, and its maps tell only lines. @param {string[]} entryPoints */
async function buildProgram(entryPoints) {
  const { outputFiles } = await build({
    ...options,
    external: dependencies,
    minify: true,
    entryPoints,
    write: false,
  })
  for (const { path, contents, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.map') ? JSON.stringify(lineMap(JSON.parse(text))) : contents)
  }
}

/** @param {string} name @param {RegExp} pattern @returns {string[]} */
function filesIn(name, pattern) {
  const files = readdirSync(name, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => pattern.test(file)).map((file) => join(name, file))
}
