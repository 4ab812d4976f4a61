import { readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Writes a whole text to a file (an absolute path) the way some program does. */
type Save = (path: string, text: string) => void

const sibling = (path: string, name: string) => join(dirname(path), name)

/** VS Code and most libraries: a hidden temporary file, renamed over the file. */
export const saveByRename: Save = (path, text) => {
  const temporary = sibling(path, `.${basename(path)}.${process.pid}.tmp`)
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

/** `sed -i`: a temporary file with an ordinary name. */
export const saveLikeSed: Save = (path, text) => {
  const temporary = sibling(path, 'sedXk3PqT')
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

/** Syncthing: a temporary file of its own, with the modification time of the other side. */
export const saveLikeSyncthing: Save = (path, text) => {
  const temporary = sibling(path, `.syncthing.${basename(path)}.tmp`)
  writeFileSync(temporary, text)
  utimesSync(temporary, 1_700_000_000, 1_700_000_000)
  renameSync(temporary, path)
}

/** vim with a backup: tests the folder, moves the file aside, writes a new one and removes the old. */
export const saveLikeVim: Save = (path, text) => {
  const trial = sibling(path, '4913')
  writeFileSync(trial, '')
  unlinkSync(trial)
  renameSync(path, `${path}~`)
  writeFileSync(path, text)
  unlinkSync(`${path}~`)
}

/** `git checkout`: removes the file and writes a new one. */
export const saveLikeGit: Save = (path, text) => {
  unlinkSync(path)
  writeFileSync(path, text, { flag: 'wx' })
}

/** nano, or `>` in a shell: truncates the file and writes it again. */
export const saveInPlace: Save = (path, text) => writeFileSync(path, text)

/** rsync without `-c`, or `touch -r`: other bytes with the same length and modification time. */
export function saveKeepingTime(path: string, text: string): void {
  const { size, mtimeMs } = statSync(path)
  if (Buffer.byteLength(text) !== size) throw new Error(`${text} is not ${size} bytes long`)
  saveByRename(path, text)
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000)
}

/** A move across disks: copies to the new name, then removes the old one. */
export function moveAcrossDisks(from: string, to: string): void {
  writeFileSync(to, readFileSync(from))
  unlinkSync(from)
}
