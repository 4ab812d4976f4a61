import { resolve } from 'node:path'
import { backUp } from '../core/backup/backup.ts'
import type { Arguments } from './arguments.ts'
import { progressLine } from './progress.ts'

/** `workroom backup DIR`. */
export async function backup(args: Arguments): Promise<undefined> {
  const to = resolve(args.operand)
  const progress = progressLine(process.stderr, 'Backing up')
  const manifest = await backUp({ home: args.home, to, onProgress: progress.show }).finally(progress.end)
  const { workspace, at, documents, files, bytes, newer, leftOut } = manifest
  const lines = [
    `${workspace.name} as of ${at} is in ${to}: ${documents} documents, ${files} files, ${sizeOf(bytes)}.`,
    ...(newer > 0 ? [`${newer} files came behind that moment and are not in it.`] : []),
    ...leftOut.map(({ path, reason }) => `${path} is not in it. ${reason}`),
    'The mirrors of linked repositories are left out: they are fetched again.',
    'It holds secrets: keep it where nobody else reads.',
  ]
  args.answer({ backup: to, ...manifest }, lines.join('\n'))
}

const sizeOf = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`
