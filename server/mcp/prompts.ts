import {
  type ContentBlock,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server'
import { pageOfFolders, projectsOf } from './folder-pages.ts'
import { type InterfaceClient, RefusedError, treeAddress } from './interface-client.ts'
import { uriOf } from './resources.ts'

const manifestName = 'SKILL.md'

/** Offers published skills as prompts, named `<project>/<skill>`. */
export function registerPrompts({ server }: McpServer, client: InterfaceClient): void {
  server.registerCapabilities({ prompts: { listChanged: true } })
  server.setRequestHandler('prompts/list', async ({ params }) => {
    const folders = (await projectsOf(client)).map((slug) => `projects/${slug}/skills`)
    const { rows, nextCursor } = await pageOfFolders(client, folders, params?.cursor)
    const prompts = rows.map(({ path, name, description }) => ({
      name: promptName(path),
      title: name!,
      ...(description && { description }),
    }))
    return { prompts, ...(nextCursor !== undefined && { nextCursor }) }
  })
  server.setRequestHandler('prompts/get', ({ params }) => getPrompt(client, params.name))
}

/** `projects/harbour/skills/tides` becomes `harbour/tides`. */
const promptName = (path: string): string => path.replace(/^projects\/([^/]+)\/skills\//, '$1/')

/** Returns SKILL.md and links to the skill's other files. */
async function getPrompt(client: InterfaceClient, name: string) {
  const [, project, skill] = /^([^/]+)\/([^/]+)$/.exec(name) ?? []
  if (project === undefined) throw unknownPrompt(name)
  const folder = treeAddress(`projects/${project}/skills/${skill}`)
  try {
    const { json } = await client.send('GET', folder)
    const { text } = await client.send('GET', `${folder}/${manifestName}`)
    const files = json.files as { name: string; type: string; path: string }[]
    const content: ContentBlock[] = [
      { type: 'text', text },
      ...files
        .filter((file) => file.name !== manifestName)
        .map(({ name, type, path }) => ({
          type: 'resource_link' as const,
          name,
          mimeType: type,
          uri: uriOf(path),
        })),
    ]
    return {
      description: json.skill.description as string,
      messages: content.map((content) => ({ role: 'user' as const, content })),
    }
  } catch (error) {
    throw error instanceof RefusedError && error.response.status === 404 ? unknownPrompt(name) : error
  }
}

const unknownPrompt = (name: string) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no prompt ${JSON.stringify(name)}. prompts/list names those that there are, as <project>/<skill>.`,
  )
