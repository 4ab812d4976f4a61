import * as z from 'zod'
import { WorkspaceError } from '../errors/workspace-error.ts'

export const manifestName = 'backup.json'

export const databaseName = 'workroom.db'

const schema = z.object({
  /** Format 1 has no checksums. */
  format: z.union([z.literal(1), z.literal(2)]),
  sums: z.object({ sha256: z.string() }).optional(),
  workspace: z.object({ id: z.string(), name: z.string(), slug: z.string() }),
  /** The time of the snapshot, ISO 8601. */
  at: z.string(),
  documents: z.int(),
  files: z.int(),
  bytes: z.int(),
  database: z.object({ bytes: z.int(), sha256: z.string() }),
  /** Files created after the snapshot, which are not included. */
  newer: z.int(),
  leftOut: z.array(z.object({ path: z.string(), reason: z.string() })),
})

export const currentFormat = 2

export type Manifest = z.infer<typeof schema>

/** @param text null if the file is missing @throws WorkspaceError `bad_request` if it is no backup */
export function readManifest(text: string | null, folder: string): Manifest {
  if (text === null) {
    throw new WorkspaceError('bad_request', `${folder} is not a backup: it has no ${manifestName}.`)
  }
  const result = schema.safeParse(parse(text))
  if (result.success) return result.data
  throw new WorkspaceError(
    'bad_request',
    `The ${manifestName} of ${folder} cannot be read: it is damaged, or from another version of Workroom.`,
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
