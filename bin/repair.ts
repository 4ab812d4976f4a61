import { type Repaired, repair as repairDatabase } from '../core/backup/repair.ts'
import { readSettings } from '../data/home.ts'
import type { Arguments } from './arguments.ts'
import { readConfig } from './config.ts'
import { defaultOwnerName } from './default-owner-name.ts'

/** `workroom repair` */
export async function repair(args: Arguments): Promise<undefined> {
  const { home } = args
  const config = readConfig({ flags: {}, environment: process.env, file: readSettings(home) })
  const repaired = await repairDatabase({ home, config, owner: defaultOwnerName() })
  if (repaired === null) {
    args.answer({ from: null }, 'The database is sound. There is nothing to repair.')
    return
  }
  const { from, snapshotMs, broken, kept, added, created } = repaired
  args.answer(
    {
      from,
      snapshotAt: snapshotMs === null ? null : new Date(snapshotMs).toISOString(),
      broken,
      documents: { kept, added },
      owner: created && { id: created.member.id, name: created.member.name, key: created.key },
    },
    linesOf(repaired).join('\n'),
  )
}

function linesOf({ from, snapshotMs, broken, kept, added, created }: Repaired): string[] {
  const source = {
    indexes:
      'The indexes of the database are made anew of its rows. Rows that named others that are gone were removed; nothing else is lost.',
    snapshot: `The database is made anew of its snapshot of ${new Date(snapshotMs ?? 0).toISOString()}: members, keys and rooms are as they were then.`,
    files: 'There was no snapshot of the database that could be used. It is made anew of the files alone.',
  }[from]
  return [
    source,
    'What has happened to the files since was taken in.',
    `Documents with the ids that they had: ${kept}. Documents with new ids: ${added}.`,
    ...(broken === null
      ? []
      : [`The broken database lies in ${broken}. Remove it when nobody needs it any more.`]),
    ...(created === null
      ? []
      : [
          '',
          `${created.member.name} owns the workspace, with this key, which is not shown again:`,
          '',
          `  ${created.key}`,
        ]),
  ]
}
