import { randomBytes } from 'node:crypto'
import nodeFs from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createDiskError, errnoOf, toDiskError } from './disk-errors.ts'
import { FolderChain } from './folder-chain.ts'
import { syncFolder } from './fsync.ts'
import { joinHome } from './paths.ts'
import { statOrNull } from './stamps.ts'
import type { FileSystem } from './types.ts'

/** On the file system of the projects, so that a rename out of it is atomic. */
const workFolder = '.workroom/tmp'
const prefix = 'folder-'

export interface StagedFolder {
  name: string
}

export const pathOfStaged = ({ name }: StagedFolder): string => `${workFolder}/${name}`

export class StagedFolders {
  private readonly home: string
  private readonly folders: FolderChain

  constructor(home: string, fs: FileSystem = nodeFs) {
    this.home = home
    this.folders = new FolderChain(fs, home)
  }

  /** Durable once it resolves. @throws DiskError; nothing remains */
  async stage(files: ReadonlyMap<string, Uint8Array>): Promise<StagedFolder> {
    const staged = { name: prefix + randomBytes(8).toString('hex') }
    const root = this.absolute(staged)
    try {
      this.folders.create(workFolder)
      const folders = new Set([root])
      for (const [path, bytes] of files) {
        const absolute = joinHome(root, path)
        for (let folder = dirname(absolute); folder !== root; folder = dirname(folder)) folders.add(folder)
        await mkdir(dirname(absolute), { recursive: true })
        const file = await open(absolute, 'wx')
        try {
          await file.writeFile(bytes)
          await file.sync()
        } finally {
          await file.close()
        }
      }
      for (const folder of folders) await syncFolder(folder)
      return staged
    } catch (error) {
      await this.discard(staged)
      throw toDiskError(error, 'written', workFolder)
    }
  }

  /** Returns whether a folder was moved to `displacedTo`. @throws DiskError; nothing has changed */
  place(staged: StagedFolder, path: string, displacedTo: string): boolean {
    const target = joinHome(this.home, path)
    const aside = joinHome(this.home, displacedTo)
    try {
      this.folders.create(parentOf(path))
      const existing = statOrNull(nodeFs, target)
      if (existing && !existing.isDirectory()) throw createDiskError('EEXIST', 'written', path)
      if (existing) {
        this.folders.create(parentOf(displacedTo))
        nodeFs.renameSync(target, aside)
      }
      try {
        nodeFs.renameSync(this.absolute(staged), target)
      } catch (error) {
        if (existing) nodeFs.renameSync(aside, target)
        throw error
      }
      return existing !== null
    } catch (error) {
      throw toDiskError(error, 'written', path)
    }
  }

  async flush(path: string): Promise<void> {
    try {
      await this.folders.syncParent(joinHome(this.home, path))
    } catch (error) {
      throw toDiskError(error, 'made durable', path)
    }
  }

  /** Never fails: the next start removes what cannot be removed now. */
  async discard(staged: StagedFolder): Promise<void> {
    try {
      await rm(this.absolute(staged), { recursive: true, force: true })
    } catch (error) {
      if (errnoOf(error) === null) throw error
    }
  }

  /** Must be called before anything is staged. */
  async clear(): Promise<void> {
    const absolute = joinHome(this.home, workFolder)
    if (!this.folders.find(absolute)) return
    const names = nodeFs.readdirSync(absolute).filter((name) => name.startsWith(prefix))
    for (const name of names) await this.discard({ name })
  }

  private absolute(staged: StagedFolder): string {
    return joinHome(this.home, pathOfStaged(staged))
  }
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))
