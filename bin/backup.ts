import { resolve } from 'node:path'
import { backUp } from '../core/backup/backup.ts'
import { restore as restoreBackup } from '../core/backup/restore.ts'
import type { Arguments, CommandContext } from './arguments.ts'

export async function backup(args: Arguments): Promise<undefined> {
  const to = resolve(args.operand)
  const progress = progressLine(args.context.stderr, 'Backing up')
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

export async function restore(args: Arguments): Promise<undefined> {
  const { home } = args
  const from = resolve(args.operand)
  const progress = progressLine(args.context.stderr, 'Restoring')
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

const formatBytes = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** A line that counts files on a terminal. Prints nothing where output goes elsewhere. */
function progressLine(stream: CommandContext['stderr'], label: string) {
  const everyFiles = 100
  return {
    show(files: number): void {
      if (stream.isTTY && files % everyFiles === 0) stream.write(`\r${label}: ${files} files`)
    },
    end(): void {
      if (stream.isTTY) stream.write('\r\x1b[K')
    },
  }
}
