import { existsSync } from 'node:fs'

/** Whether this runs as sources, under a loader, or as it was built. */
export const isSource = import.meta.url.endsWith('.ts')

/** A file or folder of the program, by its path from the top. A path that ends in `/` is a folder. */
export const programFile = (path: string): URL => new URL(path, top)

/** A module that is run by itself, in a thread or a process. @param path of its source, from the top */
export const programModule = (path: string): URL =>
  programFile(isSource ? path : path.replace(/\.ts$/, '.js'))

/** The folder of the sources, or the one that was built, which is laid out like it: whatever file this code has come to lie in. */
const top = folderAbove(import.meta.url)

function folderAbove(module: string): URL {
  for (let folder = new URL('.', module); ; folder = new URL('..', folder)) {
    if (existsSync(new URL('data/schema/', folder))) return folder
    if (folder.pathname === '/') throw new Error('The program is not whole. Build it: npm run build')
  }
}
