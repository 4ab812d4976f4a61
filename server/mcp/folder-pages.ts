import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { type InterfaceClient, toolPath, treeAddress } from './interface-client.ts'

/** A row of a folder, as far as all folders have it. */
export interface FolderRow {
  /** As tools name it. */
  path: string
  name?: string
  title?: string
  description?: string
  joined?: boolean
  [field: string]: unknown
}

interface FolderPage {
  rows: FolderRow[]
  /** undefined at the end. */
  nextCursor?: string
}

const pageLength = 100

/** Folders of which the interface answers pages; of the others it answers all rows, and takes no limit. */
const pagedFolder = /^projects\/[^/]+\/(?:docs(?:\/(?!.*\.md(?:\/|$)).+)?|posts|drafts|board\/[^/]+)$/

interface Position {
  folder: string
  cursor: string | undefined
}

/** The slugs of the caller's projects. */
export async function projectsOf(client: InterfaceClient): Promise<string[]> {
  const { json } = await client.send('GET', treeAddress('projects'))
  return (json.projects as { slug: string }[]).map(({ slug }) => slug)
}

/**
 * A page of the rows of several folders, one folder after the other.
 * @param cursor of the page before
 * @throws ProtocolError for a cursor that names none of the folders
 */
export async function pageOfFolders(
  client: InterfaceClient,
  folders: readonly string[],
  cursor: string | undefined,
): Promise<FolderPage> {
  const begin = cursor === undefined ? undefined : positionOf(cursor)
  const first = begin ? folders.indexOf(begin.folder) : 0
  if (first < 0) throw invalidCursor()
  const rows: FolderRow[] = []
  let within = begin?.cursor
  for (const folder of folders.slice(first)) {
    do {
      if (rows.length >= pageLength) return { rows, nextCursor: cursorAt({ folder, cursor: within }) }
      const page = await pageOfFolder(client, folder, {
        limit: pageLength - rows.length,
        cursor: within,
      })
      rows.push(...page.rows)
      within = page.nextCursor
    } while (within !== undefined)
  }
  return { rows }
}

interface PageRequest {
  limit: number
  /** Of the page before. */
  cursor: string | undefined
}

/**
 * A page of the rows of a folder.
 * @param folder as tools name it
 * @throws NoFolderError for a file
 */
export async function pageOfFolder(
  client: InterfaceClient,
  folder: string,
  { limit, cursor }: PageRequest,
): Promise<FolderPage> {
  const query = pagedFolder.test(folder) ? { limit, cursor } : {}
  const { json } = await client.send('GET', treeAddress(folder), { query })
  const listed = Object.values(json ?? {}).find(Array.isArray) as FolderRow[] | undefined
  if (listed === undefined) throw new NoFolderError(folder)
  const rows = listed.map((row) => ({ ...row, path: toolPath(row.path ?? '') }))
  if (typeof json.nextCursor === 'string') return { rows, nextCursor: json.nextCursor }
  if (pagedFolder.test(folder)) return { rows }
  return rowsFrom(rows, { limit, cursor })
}

/** A page of rows that have all been answered at once. */
export function rowsFrom<Row>(
  rows: readonly Row[],
  { limit, cursor = '0' }: PageRequest,
): { rows: Row[]; nextCursor?: string } {
  if (!/^\d+$/.test(cursor)) throw invalidCursor()
  const end = Number(cursor) + limit
  return {
    rows: rows.slice(Number(cursor), end),
    ...(end < rows.length && { nextCursor: String(end) }),
  }
}

export class NoFolderError extends Error {
  constructor(path: string) {
    super(`${path} is a file, no folder: use read.`)
  }
}

const cursorAt = (position: Position): string =>
  Buffer.from(JSON.stringify([position.folder, position.cursor ?? null])).toString('base64url')

function positionOf(text: string): Position {
  try {
    const [folder, cursor] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [string, string | null]
    return { folder, cursor: cursor ?? undefined }
  } catch {
    throw invalidCursor()
  }
}

const invalidCursor = () =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'This cursor does not belong to this list. Start again without a cursor.',
  )
