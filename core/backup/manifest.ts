import * as z from 'zod'
import { WorkspaceError } from '../errors/workspace-error.ts'

/** The file in a backup that says what it is. */
export const manifestName = 'backup.json'

/** The database in a backup. */
export const databaseName = 'workroom.db'

const schema = z.object({
  /** How a backup is laid out; one of another number is not understood. Those of 1 hold no sums of their files. */
  format: z.union([z.literal(1), z.literal(2)]),
  /** Of the file that holds the sums of all others. */
  sums: z.object({ sha256: z.string() }).optional(),
  workspace: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
  /** The moment that it shows, ISO 8601. */
  at: z.string(),
  documents: z.int(),
  /** All files but this one, the sums and the database. */
  files: z.int(),
  bytes: z.int(),
  database: z.object({ bytes: z.int(), sha256: z.string() }),
  /** What came behind the moment, and is not in it. */
  newer: z.int(),
  /** What could not be copied, and why. */
  leftOut: z.array(z.object({ path: z.string(), reason: z.string() })),
})

/** How backups are laid out by this program. */
export const currentFormat = 2

/** What a backup holds, as its `backup.json` says it. */
export type Manifest = z.infer<typeof schema>

/** @param text null: there is no such file. @throws WorkspaceError `bad_request` where it is no backup */
export function readManifest(text: string | null, folder: string): Manifest {
  if (text === null) {
    throw new WorkspaceError('bad_request', `${folder} is not a backup: it has no ${manifestName}.`)
  }
  const read = schema.safeParse(parse(text))
  if (read.success) return read.data
  throw new WorkspaceError(
    'bad_request',
    `The ${manifestName} of ${folder} cannot be read: it is damaged, or of another Workroom.`,
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
