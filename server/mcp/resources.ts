import {
  type CompleteRequest,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { lookup } from 'mime-types'
import { type FolderRow, NoFolderError, pageOfFolder, pageOfFolders, projectsOf } from './folder-pages.ts'
import {
  type InterfaceClient,
  type InterfaceResponse,
  RefusedError,
  toolPath,
  treeAddress,
} from './interface-client.ts'
import { entriesIn, filesOfProject, foldersInProject, generatedFiles } from './tree-entries.ts'

const scheme = 'workroom://'
const template = `${scheme}{+path}`

/** A message would hold larger files in memory several times. They are downloaded. */
const maxBlobBytes = 1024 * 1024
const maxCompletions = 100
const maxCompleted = 1000

export const uriOf = (path: string): string => scheme + toolPath(path)

export function registerResources({ server }: McpServer, client: InterfaceClient): void {
  server.registerCapabilities({ resources: { subscribe: true, listChanged: true }, completions: {} })
  server.setRequestHandler('resources/list', ({ params }) => listResources(client, params?.cursor))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ name: 'file', title: 'A file of the workspace', uriTemplate: template }],
  }))
  server.setRequestHandler('resources/read', async ({ params }) => ({
    contents: [await readResource(client, params.uri)],
  }))
  server.setRequestHandler('completion/complete', async ({ params }) => ({
    completion: await complete(client, params),
  }))
}

/** @throws ProtocolError for a resource that the caller may not read */
export async function readResource(client: InterfaceClient, uri: string) {
  const response = await client
    .send('GET', addressOf(uri))
    .catch((error) => Promise.reject(resourceError(uri, error)))
  const { text, json, bytes, header } = isDownload(response)
    ? await download(client, uri, response.json)
    : response
  const mimeType = String(header('content-type')).split(';', 1)[0]!
  if (json !== undefined) return { uri, mimeType, text }
  return mimeType.startsWith('text/')
    ? { uri, mimeType, text }
    : { uri, mimeType, blob: bytes.toString('base64') }
}

interface DownloadLink {
  type: string
  size: number
  downloadUrl: string
}

/** Whether this is a link to an uploaded file instead of its bytes. */
const isDownload = ({ json }: InterfaceResponse): boolean => typeof json?.downloadUrl === 'string'

/** @throws ProtocolError for a file too large for a message */
async function download(client: InterfaceClient, uri: string, { type, size, downloadUrl }: DownloadLink) {
  if (size > maxBlobBytes) {
    const limit = `A resource of more than ${maxBlobBytes} bytes is not sent in a message`
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      `${limit}, and this file has ${size}. Download it within an hour: ${downloadUrl}`,
      { uri },
    )
  }
  const { bytes } = await client.send('GET', new URL(downloadUrl).pathname)
  return { text: '', json: undefined, bytes, header: () => type }
}

/** @throws ResourceNotFoundError for a URI of another server */
function addressOf(uri: string): string {
  if (!uri.startsWith(scheme) || !URL.canParse(uri)) throw new ResourceNotFoundError(uri)
  return treeAddress(uri)
}

function resourceError(uri: string, error: unknown): unknown {
  if (!(error instanceof RefusedError)) return error
  if (error.response.status === 404) return new ResourceNotFoundError(uri, error.message)
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message, { uri })
}

/** The few generated files come first. */
async function listResources(client: InterfaceClient, cursor: string | undefined) {
  const projects = await projectsOf(client)
  const folders = projects.flatMap((slug) => foldersInProject.map((name) => `projects/${slug}/${name}`))
  const { rows, nextCursor } = await pageOfFolders(client, ['rooms', ...folders], cursor)
  const generated = cursor === undefined ? generatedResources(projects) : []
  const resources = rows.filter(({ joined }) => joined !== false).map(resourceOf)
  return { resources: [...generated, ...resources], ...(nextCursor !== undefined && { nextCursor }) }
}

function generatedResources(projects: readonly string[]): Resource[] {
  const inProjects = projects.flatMap((slug) => [
    `projects/${slug}`,
    ...filesOfProject.map((name) => `projects/${slug}/${name}`),
  ])
  return [...generatedFiles, ...inProjects].map((path) => ({
    uri: scheme + path,
    name: path,
    mimeType: 'text/markdown',
  }))
}

function resourceOf({ path, name, title, description, type }: FolderRow): Resource {
  const isSkill = /^projects\/[^/]+\/skills\/[^/]+$/.test(path)
  return {
    uri: scheme + path + (isSkill ? '/SKILL.md' : ''),
    name: title ?? name ?? path,
    ...(description !== undefined && { description }),
    mimeType: typeof type === 'string' ? type : lookup(path) || 'text/markdown',
  }
}

/** Completes up to the next slash. */
async function complete(client: InterfaceClient, { ref, argument }: CompleteRequest['params']) {
  if (ref.type !== 'ref/resource' || ref.uri !== template || argument.name !== 'path') return { values: [] }
  const { value } = argument
  const folder = value.slice(0, Math.max(0, value.lastIndexOf('/')))
  const { paths, isWhole } = await pathsIn(client, folder)
  const values = paths.filter((path) => path.startsWith(value))
  return {
    values: values.slice(0, maxCompletions),
    ...(isWhole && { total: values.length }),
    hasMore: !isWhole || values.length > maxCompletions,
  }
}

/** Returns no paths for a missing folder. */
async function pathsIn(
  client: InterfaceClient,
  folder: string,
): Promise<{ paths: string[]; isWhole: boolean }> {
  const entries = entriesIn(folder)
  try {
    if (entries) {
      if (folder !== '') await client.send('GET', treeAddress(folder))
      return { paths: entries.map((path) => (/\.md$/.test(path) ? path : `${path}/`)), isWhole: true }
    }
    const page = await pageOfFolder(client, folder, { limit: maxCompleted, cursor: undefined })
    return { paths: page.rows.map(({ path }) => path), isWhole: page.nextCursor === undefined }
  } catch (error) {
    if (error instanceof RefusedError || error instanceof NoFolderError) return { paths: [], isWhole: true }
    throw error
  }
}
