import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'esbuild'
import { gemoji } from 'gemoji'
import { appIcon } from './app-icons.js'

/** The files that pages load by name. Chunks are reached through them. */
const entries = {
  app: 'server/client/app.ts',
  signin: 'server/client/signin.ts',
  style: 'server/client/styles/index.css',
  worker: 'server/client/worker/service-worker.ts',
}

const icons = { '192.png': [192, false], '512.png': [512, false], 'maskable.png': [512, true] }

/**
 * Keeps only what the composer shows of each emoji: less than half of the bytes.
 * @type {import('esbuild').Plugin}
 */
const emojiNames = {
  name: 'emoji-names',
  setup({ onLoad }) {
    // In columns they compress better than in rows.
    const columns = [
      gemoji.map(({ emoji }) => emoji),
      gemoji.map(({ names, tags }) => (tags.length > 0 ? `${names}\t${tags}` : `${names}`)),
    ]
    const contents = `const [emoji, words] = ${JSON.stringify(columns.map((column) => column.join('\n')))}
    const wordsOf = words.split('\\n').map((line) => line.split('\\t').map((list) => list.split(',')))
    export const gemoji = emoji.split('\\n').map((emoji, index) => {
      const [names, tags = []] = wordsOf[index]
      return { emoji, names, tags }
    })`
    onLoad({ filter: /\bgemoji\/index\.js$/ }, () => ({ contents }))
  },
}

/**
 * Bundles the browser code under names with a content hash, compressed with Brotli; `manifest.json` maps entries
 * to names.
 * @param {string} folder emptied of earlier builds
 */
export async function buildClient(folder) {
  const { outputFiles, metafile } = await build({
    entryPoints: entries,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['chrome120', 'firefox121', 'safari17'],
    minify: true,
    charset: 'utf8',
    plugins: [emojiNames],
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  mkdirSync(folder, { recursive: true })
  for (const { path, contents } of outputFiles) {
    const compressed = brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
    writeFileSync(`${path}.br`, compressed)
  }
  for (const [name, [size, isMaskable]] of Object.entries(icons))
    writeFileSync(join(folder, name), appIcon(size, isMaskable))
  const entryOf = new Map(Object.entries(entries).map(([name, file]) => [file, name]))
  const builtNames = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) => {
    const name = entryOf.get(entryPoint)
    return name === undefined ? [] : [[name, basename(path)]]
  })
  const manifest = join(folder, 'manifest.json')
  writeFileSync(`${manifest}.new`, JSON.stringify(Object.fromEntries(builtNames)))
  // A server that starts at this moment reads one complete build, the old or the new.
  renameSync(`${manifest}.new`, manifest)
  const built = new Set([
    'manifest.json',
    ...Object.keys(icons),
    ...outputFiles.map(({ path }) => `${basename(path)}.br`),
  ])
  for (const name of readdirSync(folder)) if (!built.has(name)) rmSync(join(folder, name))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await buildClient(resolve('dist/client'))
