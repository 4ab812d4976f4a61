import { requireWorkspace } from '../core/home/home.ts'
import { type Migration, migrateHome } from '../core/home/migration.ts'
import type { Arguments } from './arguments.ts'

export async function migrate(args: Arguments): Promise<undefined> {
  requireWorkspace(args.home)
  const migration = await migrateHome(args.home)
  args.print(
    migration ?? { from: null, to: null, snapshot: null },
    migration ? migrationText(migration) : 'The database is up to date.',
  )
}

export const migrationText = ({ from, to, snapshot }: Migration): string =>
  `The database was migrated from schema ${from} to ${to}. A copy of the old database is kept until the next migration: ${snapshot}`
