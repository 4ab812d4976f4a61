import {
  type CompleteRequest,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { lookup } from 'mime-types'
import { columns } from '../../core/documents/model/columns.ts'
import { type FolderRow, pageOfFolders, projectsOf } from './folder-pages.ts'
import { type InterfaceClient, RefusedError, toolPath, treeAddress } from './interface-client.ts'

const scheme = 'workroom://'
const template = `${scheme}{+path}`

/** The files that are generated for each reader, outside and inside of a project. */
const generatedFiles = ['README.md', 'inbox/mentions.md']
const generatedInProject = ['plan.md', 'map.md', 'asks.md', 'links.md']

const foldersInProject = [
  'docs',
  'posts',
  'drafts',
  ...columns.map(({ name }) => `board/${name}`),
  'library/files',
  'skills',
]

export const uriOf = (path: string): string => scheme + toolPath(path)

/** Every file of the tree as `workroom://projects/…` or `workroom://rooms/…`. */
export function registerResources({ server }: McpServer, client: InterfaceClient): void {
  server.registerCapabilities({ resources: { subscribe: true, listChanged: true }, completions: {} })
  server.setRequestHandler('resources/list', ({ params }) => listed(client, params?.cursor))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ name: 'file', title: 'A file of the workspace', uriTemplate: template }],
  }))
  server.setRequestHandler('resources/read', async ({ params }) => ({
    contents: [await readResource(client, params.uri)],
  }))
  server.setRequestHandler('completion/complete', async ({ params }) => ({
    completion: { values: await completions(client, params) },
  }))
}

/** Reads a resource, and so checks that there is one which the caller may read. @throws ProtocolError */
export async function readResource(client: InterfaceClient, uri: string) {
  const { text, json, bytes, header } = await client
    .send('GET', addressOf(uri))
    .catch((error) => Promise.reject(resourceError(uri, error)))
  if (json !== undefined) return { uri, mimeType: 'application/json', text: JSON.stringify(json) }
  const mimeType = String(header('content-type')).split(';', 1)[0]!
  return mimeType.startsWith('text/')
    ? { uri, mimeType, text }
    : { uri, mimeType, blob: bytes.toString('base64') }
}

/** The address of a resource in the interface. @throws ResourceNotFoundError for what is no URI of this server */
export function addressOf(uri: string): string {
  if (!uri.startsWith(scheme) || !URL.canParse(uri)) throw new ResourceNotFoundError(uri)
  return treeAddress(uri)
}

function resourceError(uri: string, error: unknown): unknown {
  if (!(error instanceof RefusedError)) return error
  if (error.answer.status === 404) return new ResourceNotFoundError(uri, error.message)
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message, { uri })
}

/** The generated files of all places come first: they are few. */
async function listed(client: InterfaceClient, cursor: string | undefined) {
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
    ...generatedInProject.map((name) => `projects/${slug}/${name}`),
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

/** The paths that begin with what was typed: names at the next slash, not all that there are. */
async function completions(
  client: InterfaceClient,
  { ref, argument }: CompleteRequest['params'],
): Promise<string[]> {
  if (ref.type !== 'ref/resource' || ref.uri !== template || argument.name !== 'path') return []
  const { value } = argument
  const folder = value.slice(0, Math.max(0, value.lastIndexOf('/')))
  const paths = await pathsIn(client, folder)
  return paths.filter((path) => path.startsWith(value)).slice(0, 100)
}

async function pathsIn(client: InterfaceClient, folder: string): Promise<string[]> {
  if (folder === '') return ['projects/', 'rooms/', ...generatedFiles]
  if (/^projects\/[^/]+$/.test(folder)) {
    return [...foldersInProject.map((name) => `${name}/`), ...generatedInProject].map(
      (name) => `${folder}/${name}`,
    )
  }
  return (await pageOfFolders(client, [folder], undefined)).rows.map(({ path }) => path)
}
