import { runInChildProcess } from '../background.ts'
import { databasePath } from '../home.ts'

/** Returns the problems, in SQLite's words. */
export async function quickCheck(home: string, ending: AbortSignal): Promise<string[]> {
  const printed = await runInChildProcess('data/backup/check-process.ts', [databasePath(home)], ending)
  return JSON.parse(printed) as string[]
}
