import { posix } from 'node:path'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'

/** Kept for 30 days. Their documents are restored from the trash, their other files by hand. */
export class ReplacedFolders {
  constructor(private readonly deps: Pick<DocumentsDeps, 'tree' | 'clock'>) {}

  /** Returns a path in the home. @param path of the folder, in its project */
  pathFor({ folder }: Pick<Project, 'folder'>, path: string): string {
    const { tree, clock } = this.deps
    const parent = `trash/${folder}/folders`
    const taken = new Set(tree.names(parent) ?? [])
    for (let n = 1; ; n++) {
      const name = `${clock.now()}-${n}-${posix.basename(path)}`
      if (!taken.has(name)) return `${parent}/${name}`
    }
  }
}
