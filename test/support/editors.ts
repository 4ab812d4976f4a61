import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Puts a whole text into a file (an absolute path) the way some program does. */
type Save = (path: string, text: string) => void

const beside = (path: string, name: string) => join(dirname(path), name)

/** How VS Code's and most libraries' atomic writes go: a hidden temporary, renamed over the file. */
export const saveByRename: Save = (path, text) => {
  const temporary = beside(path, `.${basename(path)}.${process.pid}.tmp`)
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

/** `sed -i`: a temporary with an innocent name. */
export const saveLikeSed: Save = (path, text) => {
  const temporary = beside(path, 'sedXk3PqT')
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

/** Syncthing: a temporary of its own, with the time of the other side. */
export const saveLikeSyncthing: Save = (path, text) => {
  const temporary = beside(path, `.syncthing.${basename(path)}.tmp`)
  writeFileSync(temporary, text)
  utimesSync(temporary, 1_700_000_000, 1_700_000_000)
  renameSync(temporary, path)
}

/** vim with a backup: tries whether it may write in the folder, moves the file aside, writes a new one, drops the old. */
export const saveLikeVim: Save = (path, text) => {
  const trial = beside(path, '4913')
  writeFileSync(trial, '')
  unlinkSync(trial)
  renameSync(path, `${path}~`)
  writeFileSync(path, text)
  unlinkSync(`${path}~`)
}

/** `git checkout`: the old file goes, a new one is written under its name. */
export const saveLikeGit: Save = (path, text) => {
  unlinkSync(path)
  writeFileSync(path, text, { flag: 'wx' })
}

/** nano, `>` in a shell: the file is emptied and written again. */
export const saveInPlace: Save = (path, text) => writeFileSync(path, text)

/**
 * Writes a text in pieces, with a pause before each.
 * @returns the longest of the pauses, in milliseconds: on a busy machine one may take much longer than it should
 */
export async function saveSlowly(path: string, pieces: string[], pauseMs: number): Promise<number> {
  const file = openSync(path, 'w')
  let maxMs = 0
  let writtenMs = performance.now()
  try {
    for (const piece of pieces) {
      await pause(pauseMs)
      writeSync(file, piece)
      maxMs = Math.max(maxMs, performance.now() - writtenMs)
      writtenMs = performance.now()
    }
  } finally {
    closeSync(file)
  }
  return maxMs
}

/** rsync without `-c`, `touch -r`: other bytes of the same length, under the same modification time. */
export function saveKeepingTime(path: string, text: string): void {
  const { size, mtimeMs } = statSync(path)
  if (Buffer.byteLength(text) !== size) throw new Error(`${text} is not ${size} bytes long`)
  saveByRename(path, text)
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000)
}

/** A move from another disk: a copy under the new name, then the old name goes. */
export function moveAcrossDisks(from: string, to: string): void {
  writeFileSync(to, readFileSync(from))
  unlinkSync(from)
}
