import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import {
  type Displaced,
  type FileStamp,
  type FileSystem,
  openTree,
  type Tree,
} from '../../../data/tree/index.ts'
import { saveByRename, saveInPlace } from '../../support/editors.ts'

export const documents = 'projects/general/documents'

export const plan = `${documents}/plan.md`

export function openHome(t: Test, fs?: FileSystem): { home: string; tree: Tree } {
  const home = t.testdir({ projects: { general: { documents: { 'plan.md': 'old' } } } })
  return { home, tree: openTree(home, fs ? { fs } : {}) }
}

export function stampOf(tree: Tree, path: string): FileStamp {
  const stat = tree.stat(path)
  if (stat.kind !== 'file') throw new Error(`${path} is no file`)
  return stat.stamp
}

/** Reads the displaced files and discards them. */
export function contentsOf(tree: Tree, displaced: Displaced[]) {
  return displaced.map(({ name, wasExpected }) => {
    const text = tree.readStaged(name)?.bytes.toString()
    tree.discard(name)
    return { text, wasExpected }
  })
}

/** How editors save a file (an absolute path), each with the text `edited`. */
export const editorSaves: Readonly<Record<string, (path: string) => void>> = {
  'in place': (path) => saveInPlace(path, 'edited'),
  'by a rename': (path) => saveByRename(path, 'edited'),
}

export const textOf = (home: string, path: string) => readFileSync(join(home, path), 'utf8')

export const tmpOf = (home: string) => readdirSync(join(home, '.workroom/tmp'))
