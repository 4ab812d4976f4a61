import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { type InterfaceClient, toolPath, treeAddress } from './interface-client.ts'

/** The fields that rows of all folders share. */
export interface FolderRow {
  /** As tools write paths. */
  path: string
  name?: string
  title?: string
  description?: string
  joined?: boolean
  [field: string]: unknown
}

interface FolderPage {
  rows: FolderRow[]
  /** Absent on the last page. */
  nextCursor?: string
}

const pageLength = 100

/** Folders that the interface lists in pages. It lists others whole. */
const pagedFolder = /^projects\/[^/]+\/(?:docs(?:\/(?!.*\.md(?:\/|$)).+)?|posts|drafts|board\/[^/]+)$/

interface Position {
  folder: string
  cursor: string | undefined
}

/** Returns the slugs of the caller's projects. */
export async function projectsOf(client: InterfaceClient): Promise<string[]> {
  const { json } = await client.send('GET', treeAddress('projects'))
  return (json.projects as { slug: string }[]).map(({ slug }) => slug)
}

/** Lists several folders one after the other. @throws ProtocolError for a cursor of other folders */
export async function pageOfFolders(
  client: InterfaceClient,
  folders: readonly string[],
  cursor: string | undefined,
): Promise<FolderPage> {
  const start = cursor === undefined ? undefined : positionOf(cursor)
  const first = start ? folders.indexOf(start.folder) : 0
  if (first < 0) throw invalidCursor()
  const rows: FolderRow[] = []
  let folderCursor = start?.cursor
  for (const folder of folders.slice(first)) {
    do {
      if (rows.length >= pageLength) return { rows, nextCursor: cursorAt({ folder, cursor: folderCursor }) }
      const page = await pageOfFolder(client, folder, {
        limit: pageLength - rows.length,
        cursor: folderCursor,
      })
      rows.push(...page.rows)
      folderCursor = page.nextCursor
    } while (folderCursor !== undefined)
  }
  return { rows }
}

interface PageRequest {
  limit: number
  cursor: string | undefined
}

/** @param folder as tools write paths @throws NoFolderError for a file */
export async function pageOfFolder(
  client: InterfaceClient,
  folder: string,
  { limit, cursor }: PageRequest,
): Promise<FolderPage> {
  const query = pagedFolder.test(folder) ? { limit, cursor } : {}
  const { json } = await client.send('GET', treeAddress(folder), { query })
  const list = Object.values(json ?? {}).find(Array.isArray) as FolderRow[] | undefined
  if (list === undefined) throw new NoFolderError(folder)
  const rows = list.map((row) => ({ ...row, path: toolPath(row.path ?? '') }))
  if (typeof json.nextCursor === 'string') return { rows, nextCursor: json.nextCursor }
  if (pagedFolder.test(folder)) return { rows }
  return rowsFrom(rows, { limit, cursor })
}

/** Cuts a page out of rows that the interface returned at once. */
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
