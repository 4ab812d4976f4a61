import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { type InterfaceClient, toolPath, treeAddress } from './interface-client.ts'

/** A row of a folder, as far as all folders have it. */
export interface FolderRow {
  path: string
  name?: string
  title?: string
  description?: string
  joined?: boolean
  [field: string]: unknown
}

export interface FolderPage {
  rows: FolderRow[]
  /** undefined at the end. */
  nextCursor?: string
}

const pageLength = 100

/** Folders that may be long; the others answer all of their rows, and take no limit. */
const pagedFolder = /^projects\/[^/]+\/(?:docs|posts|drafts|board\/)/

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
 * A page of the rows of several folders, one folder after the other. A page may be longer where a folder is not listed
 * in pages itself.
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
      const page = await pageOfFolder(client, folder, pageLength - rows.length, within)
      rows.push(...page.rows)
      within = page.nextCursor
    } while (within !== undefined)
  }
  return { rows }
}

async function pageOfFolder(
  client: InterfaceClient,
  folder: string,
  limit: number,
  cursor: string | undefined,
): Promise<FolderPage> {
  const query = pagedFolder.test(folder) ? { limit, cursor } : {}
  const { json } = await client.send('GET', treeAddress(folder), { query })
  const rows = (Object.values(json).find(Array.isArray) ?? []) as FolderRow[]
  return {
    rows: rows.map((row) => ({ ...row, path: toolPath(row.path) })),
    ...(typeof json.nextCursor === 'string' && { nextCursor: json.nextCursor }),
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
