import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import type { BenchWorkspace } from './bench-workspace.ts'

const count = 50
const timeoutMs = 60_000

/** Files that are all renamed on the disk again and again. */
export class MovedFiles {
  private readonly folder: string
  private readonly database: string
  private turn = 0

  constructor({ home }: Pick<BenchWorkspace, 'home'>) {
    this.folder = join(home, 'projects', 'general', 'documents', 'moved')
    this.database = join(home, '.workroom', 'workroom.db')
  }

  /** To be called before the server starts. */
  write(): void {
    mkdirSync(this.folder)
    for (let number = 0; number < count; number++)
      writeFileSync(this.pathOf(number), `# Moved ${number}\n\nFrom here to there.\n`)
  }

  /** @returns how many renames a second are committed */
  async renameFor(durationMs: number): Promise<{ perSecond: number }> {
    const db = new Sqlite(this.database, { readonly: true })
    const last = db.prepare<[], number>('SELECT max(tick) FROM events').pluck()
    const since = db.prepare<[number], number>('SELECT count(*) FROM events WHERE tick > ?').pluck()
    const startMs = performance.now()
    let moved = 0
    try {
      while (performance.now() < startMs + durationMs) {
        const before = last.get()!
        const from = Array.from({ length: count }, (_, number) => this.pathOf(number))
        this.turn += 1
        for (const [number, path] of from.entries()) renameSync(path, this.pathOf(number))
        const untilMs = performance.now() + timeoutMs
        while (since.get(before)! < count) {
          if (performance.now() > untilMs) throw new Error('Renames were not ingested.')
          await pause(1)
        }
        moved += count
      }
    } finally {
      db.close()
    }
    return { perSecond: moved / ((performance.now() - startMs) / 1000) }
  }

  private pathOf(number: number): string {
    return join(this.folder, `file-${number}-${this.turn}.md`)
  }
}
