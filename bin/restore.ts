import { resolve } from 'node:path'
import { restore as restoreBackup } from '../core/backup/restore.ts'
import type { Arguments } from './arguments.ts'
import { progressLine } from './progress.ts'

export async function restore(args: Arguments): Promise<undefined> {
  const { home } = args
  const from = resolve(args.operand)
  const progress = progressLine(process.stderr, 'Restoring')
  const manifest = await restoreBackup({ from, home, onProgress: progress.show }).finally(progress.end)
  const { workspace, at, documents, files, differing } = manifest
  const lines = [
    `${workspace.name} as of ${at} is in ${home}: ${documents} documents, ${files} files.`,
    ...differing.map(
      ({ path, problem }) => `${path}: ${problem} The backup was not checked for this when it was made.`,
    ),
    `Serve it with: workroom serve --home ${home}`,
  ]
  args.print({ home, workspace, at, documents, files, differing }, lines.join('\n'))
}
