import { chmodSync, cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { buildClient } from './.build-client.js'

/**
 * `node .build.js [folder [group …]]`: builds all that runs, tests included, into `dist`, or some of it into another folder.
 * Modules and packages are bundled together: Node takes almost a millisecond for every file that it loads, and a server has
 * more than a thousand. Types are not looked at here (`npm run types`).
 */

const [folder = 'dist', ...names] = process.argv.slice(2)

/** Packages that are loaded from `node_modules`. */
const beside = [
  // Native code.
  'better-sqlite3',
  // These run files of their own in threads.
  'pino',
  'piscina',
  ...toolsOtherThan('tap'),
]

/**
 * What is started or loaded by its name. The files of one group share their code, in chunks that are loaded by all that need
 * all of it: the more they have in common, the fewer chunks there are.
 */
const groups = {
  program: [
    'bin/workroom.ts',
    ...filesIn('core/markdown', /worker\.ts$/),
    ...filesIn('data/backup', /-process\.ts$/),
  ],
  tests: [...filesIn('test', /\.test\.ts$/), 'test/support/run-tests.ts', 'test/support/test-process.ts'],
  // Loaded by processes that tests start.
  parts: [
    'test/server/durability/killable-server.ts',
    'core/markdown/index.ts',
    'data/tree/lock.ts',
    'server/log.ts',
  ],
  bench: filesIn('test/bench', /(?:-process|run)\.ts$/),
  hostile: filesIn('test/hostile', /(?:-process|run)\.ts$/),
}

/** @type {import('esbuild').BuildOptions} */
const options = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'es2023',
  external: beside,
  outbase: '.',
  outdir: folder,
  chunkNames: 'chunks/[name]-[hash]',
  sourcemap: true,
  sourcesContent: false,
  // Packages that are CommonJS require what Node has.
  banner: {
    js: "import { createRequire as requireAt } from 'node:module';const require = requireAt(import.meta.url);",
  },
  plugins: [testOfFile()],
  logLevel: 'warning',
}

rmSync(folder, { recursive: true, force: true })
await Promise.all([
  ...Object.entries(groups)
    .filter(([name]) => names.length === 0 || names.includes(name))
    .map(([, entryPoints]) => build({ ...options, entryPoints })),
  buildClient(join(folder, 'client')),
])
cpSync('data/schema', join(folder, 'data/schema'), { recursive: true })
chmodSync(join(folder, 'bin/workroom.js'), 0o755)

/** @param {string} name @param {RegExp} pattern @returns {string[]} */
function filesIn(name, pattern) {
  const files = readdirSync(name, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => pattern.test(file)).map((file) => join(name, file))
}

/** Test files that share a process are each given a test of their own. @returns {import('esbuild').Plugin} */
function testOfFile() {
  const path = resolve('test/support/test-of-file.ts')
  return {
    name: 'test of file',
    setup({ onResolve }) {
      onResolve({ filter: /^tap$/ }, ({ importer }) => (importer === path ? null : { path }))
    },
  }
}

/** @param {string} name @returns {string[]} the packages that only those who work on this need */
function toolsOtherThan(name) {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.keys(devDependencies).filter((tool) => tool !== name)
}
