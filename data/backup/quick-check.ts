import { runInChildProcess } from '../background.ts'
import { databasePath } from '../home.ts'

/** Returns the problems as SQLite words them. */
export async function quickCheck(home: string, signal: AbortSignal): Promise<string[]> {
  const output = await runInChildProcess('data/backup/check-process.ts', [databasePath(home)], signal)
  return JSON.parse(output) as string[]
}
