import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Whether this runs as sources, under a loader, or as it was built. */
export const isSource = import.meta.url.endsWith('.ts')

const loaders = /^(?:--import|--require|-r)(?:$|=)/

/** Under what these sources were loaded; what was built needs no loader. What else Node was started with, such as how much memory V8 may take, is for the process alone. */
export const loaderArguments: readonly string[] = isSource
  ? process.execArgv.filter(
      (argument, place, all) =>
        loaders.test(argument) || /^(?:--import|--require|-r)$/.test(all[place - 1] ?? ''),
    )
  : []

/** A file or folder of the program, by its path from the top. A path that ends in `/` is a folder. */
export const programFile = (path: string): URL => new URL(path, top)

/** A module that is run by itself, in a thread or a process. @param path of its source, from the top */
export const programModule = (path: string): URL =>
  programFile(isSource ? path : path.replace(/\.ts$/, '.js'))

/** The folder of the sources, or the one that was built, which is laid out like it: whatever file this code has come to lie in. */
const top = folderAbove(import.meta.url)

let version: string | null = null

/**
 * Another for each state of the code: what an older one has made and kept may not be what this one would make. The names
 * of what is built hold a hash of their contents, so that what is loaded by its name tells of all code.
 */
export function programVersion(): string {
  version ??= hashOf(isSource ? filesIn('core', '.ts') : ['bin/workroom.js', ...filesIn('core', '.js')])
  return version
}

function hashOf(files: string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(programFile(file)))
  return hash.digest('hex')
}

const filesIn = (folder: string, end: string): string[] =>
  readdirSync(programFile(`${folder}/`), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .sort()
    .map((file) => `${folder}/${file}`)

function folderAbove(module: string): URL {
  for (let folder = new URL('.', module); ; folder = new URL('..', folder)) {
    if (existsSync(new URL('data/schema/', folder))) return folder
    if (folder.pathname === '/') throw new Error('The program is not whole. Build it: npm run build')
  }
}
