import { resolve } from 'node:path'
import { backUp } from '../core/backup/backup.ts'
import type { Arguments } from './arguments.ts'
import { progressLine } from './progress.ts'

export async function backup(args: Arguments): Promise<undefined> {
  const to = resolve(args.operand)
  const progress = progressLine(process.stderr, 'Backing up')
  const manifest = await backUp({ home: args.home, to, onProgress: progress.show }).finally(progress.end)
  const { workspace, at, documents, files, bytes, newer, leftOut } = manifest
  const lines = [
    `${workspace.name} as of ${at} is in ${to}: ${documents} documents, ${files} files, ${formatBytes(bytes)}.`,
    ...(newer > 0 ? [`${newer} files were created after that moment and are not included.`] : []),
    ...leftOut.map(({ path, reason }) => `${path} is not included: ${reason}`),
    'Mirrors of linked repositories are not included; they are fetched again.',
    'The backup contains secrets. Store it where nobody else can read it.',
  ]
  args.print({ backup: to, ...manifest }, lines.join('\n'))
}

const formatBytes = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`
