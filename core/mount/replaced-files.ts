import { posix } from 'node:path'
import type { FileStamp, Tree } from '../../data/tree/index.ts'
import type { Clock } from '../clock.ts'
import { trashMs } from '../documents/disk/identity.ts'
import type { Parts } from '../documents/parts.ts'
import { numberedName } from '../files/names.ts'
import { homePathAt, type Where } from './places.ts'

/** Of all that was replaced in a project so much is kept, the newest of it. */
const mostBytes = 1024 * 1024 * 1024
const mostFiles = 1000

/** `<Unix milliseconds>-<name>` */
const keptName = /^(\d{13,15})-/

/**
 * What files without revisions were before they were replaced, in `trash/<project>/files/` for 30 days: whoever may write
 * a file need not have the right to destroy it. It is brought back by hand.
 */
export class ReplacedFiles {
  private readonly tree: Tree
  private readonly clock: Clock

  constructor({ tree, clock }: Pick<Parts, 'tree' | 'clock'>) {
    this.tree = tree
    this.clock = clock
  }

  /**
   * Keeps bytes that something took the place of.
   * @param displaced their name in `.workroom/tmp`
   * @param stamp what they were seen as; an empty file is not worth keeping
   * @throws DiskError
   */
  keep(where: Where, displaced: string, stamp: FileStamp): void {
    if (stamp.size === 0) this.tree.discard(displaced)
    else this.tree.placeNew({ name: displaced, stamp }, this.freePath(where))
    this.trim(where)
  }

  /** Takes the file that lies at a place there, which is free then. @throws DiskError */
  take(where: Where): void {
    this.tree.move(homePathAt(where), this.freePath(where))
    this.trim(where)
  }

  private freePath(where: Where): string {
    const folder = folderOf(where)
    const taken = new Set(this.tree.names(folder) ?? [])
    const name = `${this.clock.now()}-${posix.basename(where.path)}`
    for (let n = 1; ; n++) {
      const candidate = numberedName(name, n)
      if (!taken.has(candidate)) return `${folder}/${candidate}`
    }
  }

  /** Lets go of what is too old or too much. */
  private trim(where: Where): void {
    const folder = folderOf(where)
    const newestFirst = (this.tree.names(folder) ?? []).filter((name) => keptName.test(name)).reverse()
    let bytes = 0
    newestFirst.forEach((name, index) => {
      const path = `${folder}/${name}`
      const look = this.tree.lookAtAnySize(path)
      bytes += look.kind === 'file' ? look.stamp.size : 0
      const isOld = Number(keptName.exec(name)![1]) < this.clock.now() - trashMs
      if (isOld || index >= mostFiles || bytes > mostBytes) this.tree.remove(path)
    })
  }
}

const folderOf = ({ project }: Where): string => `trash/${project.folder}/files`
