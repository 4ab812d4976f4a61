import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

export const isSource = import.meta.url.endsWith('.ts')

const loaders = /^(?:--import|--require|-r)(?:$|=)/

/** Built code needs none. Node's other arguments, such as memory limits, are for this process alone. */
export const loaderArguments: readonly string[] = isSource
  ? process.execArgv.filter(
      (argument, index, all) =>
        loaders.test(argument) || /^(?:--import|--require|-r)$/.test(all[index - 1] ?? ''),
    )
  : []

/** @param path from the root; a folder ends in `/` */
export const programFile = (path: string): URL => new URL(path, root)

/** A module to be run in a thread or process. @param path of its source, from the root */
export const programModule = (path: string): URL =>
  programFile(isSource ? path : path.replace(/\.ts$/, '.js'))

const root = findRoot(import.meta.url)

let version: string | null = null

/** Differs for each state of the code, to invalidate stored results. Names of built files have their hash. */
export function programVersion(): string {
  version ??= hashOf(isSource ? filesIn('core', '.ts') : ['bin/workroom.js', ...filesIn('core', '.js')])
  return version
}

function hashOf(files: string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(programFile(file)))
  return hash.digest('hex')
}

const filesIn = (folder: string, extension: string): string[] =>
  readdirSync(programFile(`${folder}/`), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(extension))
    .sort()
    .map((file) => `${folder}/${file}`)

function findRoot(module: string): URL {
  for (let folder = new URL('.', module); ; folder = new URL('..', folder)) {
    if (existsSync(new URL('data/schema/', folder))) return folder
    if (folder.pathname === '/') throw new Error('The program is not whole. Build it: npm run build')
  }
}
