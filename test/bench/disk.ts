import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { withBenchWorkspace } from './bench-workspace.ts'
import { type Bench, type BenchRow, median, milliseconds, times } from './measured.ts'

const saves = 30
const boundMs = 150
const timeoutMs = 5000

type Save = (path: string, text: string) => void

const byRename: Save = (path, text) => {
  const temporary = join(path, '..', '.saving.tmp')
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

/** From an editor's save of a file until its event is committed. */
export const disk: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const server = await bench.serve()
    const path = join(bench.home, 'projects', 'general', 'documents', 'saved.md')
    await bench.request(server.port, 'PUT', '/v1/fs/projects/general/docs/saved.md', {
      body: '# Saved\n\nAt first.\n',
    })
    const db = new Sqlite(join(bench.home, '.workroom', 'workroom.db'), { readonly: true })
    const events = db.prepare<[], number>('SELECT count(*) FROM events').pluck()

    const latencyMs = async (save: Save, text: string): Promise<number> => {
      const before = events.get()!
      save(path, text)
      const savedMs = performance.now()
      while (events.get() === before) {
        if (performance.now() > savedMs + timeoutMs) throw new Error('A save was not ingested.')
        await pause(1)
      }
      return performance.now() - savedMs
    }

    const measure = async (what: string, save: Save): Promise<BenchRow> => {
      const latenciesMs: number[] = []
      for (let count = 0; count < saves; count++) {
        latenciesMs.push(await latencyMs(save, `# Saved\n\n${what}, ${count}.\n`))
        // People pause between saves, for varying times.
        await pause(40 + ((count * 37) % 60))
      }
      const medianMs = median(latenciesMs)
      return {
        what: `${what}, to the committed event (median of ${saves})`,
        workroom: milliseconds(medianMs),
        against: `${boundMs} ms`,
        ratio: times(medianMs / boundMs),
        target: '≤ 1',
        isMet: medianMs <= boundMs,
      }
    }

    try {
      return [
        await measure('Save on disk by rename', byRename),
        await measure('Save on disk in place', writeFileSync),
      ]
    } finally {
      db.close()
    }
  })
