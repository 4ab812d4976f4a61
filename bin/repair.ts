import { type Repaired, repair as repairDatabase } from '../core/backup/repair.ts'
import { readSettings } from '../data/home.ts'
import type { Arguments } from './arguments.ts'
import { readConfig } from './config.ts'
import { defaultOwnerName } from './default-owner-name.ts'

export async function repair(args: Arguments): Promise<undefined> {
  const { home, context } = args
  const config = readConfig({ flags: {}, environment: context.env, file: readSettings(home) })
  const repaired = await repairDatabase({ home, config, owner: defaultOwnerName() })
  if (repaired === null) {
    args.print({ from: null }, 'The database is intact. Nothing to repair.')
    return
  }
  const { from, snapshotMs, broken, kept, added, created } = repaired
  args.print(
    {
      from,
      snapshotAt: snapshotMs === null ? null : new Date(snapshotMs).toISOString(),
      broken,
      documents: { kept, added },
      owner: created && { id: created.member.id, name: created.member.name, key: created.key },
    },
    resultLines(repaired).join('\n'),
  )
}

function resultLines({ from, snapshotMs, broken, kept, added, created }: Repaired): string[] {
  const source = {
    indexes:
      'The indexes of the database were rebuilt. Rows that referred to missing rows were removed; nothing else was lost.',
    snapshot: `The database was rebuilt from its snapshot of ${new Date(snapshotMs ?? 0).toISOString()}: members, keys and rooms are as of then.`,
    files: 'No usable snapshot was found. The database was rebuilt from the files alone.',
  }[from]
  return [
    source,
    'Later changes to files were imported.',
    `Documents that kept their ids: ${kept}. Documents with new ids: ${added}.`,
    ...(broken === null
      ? []
      : [`The damaged database is kept in ${broken}. Delete it when you no longer need it.`]),
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
