import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { revisionOf } from '../../core/revisions/revision.ts'

/** The acknowledged texts, each written once. Each must be in a file, in the trash, or a revision. */
export class DavLedger {
  private readonly acknowledgedTexts = new Map<string, string>()

  constructor(private readonly home: string) {}

  get size(): number {
    return this.acknowledgedTexts.size
  }

  /** @param how who wrote it and where, for the report of its loss */
  acknowledged(text: string, how: string): void {
    this.acknowledgedTexts.set(revisionOf(Buffer.from(text)), how)
  }

  lost(): string[] {
    const found = new Set([...this.revisions(), ...filesBelow(join(this.home, 'projects')).values()])
    for (const revision of filesBelow(join(this.home, 'trash')).values()) found.add(revision)
    return [...this.acknowledgedTexts].filter(([revision]) => !found.has(revision)).map(([, how]) => how)
  }

  isRevision(text: string): boolean {
    return this.revisions().has(revisionOf(Buffer.from(text)))
  }

  private revisions(): Set<string> {
    const db = new Sqlite(join(this.home, '.workroom/workroom.db'), { readonly: true })
    try {
      return new Set(db.prepare<[], string>('SELECT DISTINCT revision FROM revisions').pluck().all())
    } finally {
      db.close()
    }
  }
}

/** The revisions of all files in a folder by relative path. Files that vanish meanwhile are left out. */
export function filesBelow(folder: string): Map<string, string> {
  const files = new Map<string, string>()
  if (!existsSync(folder)) return files
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    try {
      files.set(path.slice(folder.length + 1), revisionOf(readFileSync(path)))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return files
}
