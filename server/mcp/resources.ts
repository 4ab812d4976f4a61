import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { treeRoot } from '../../core/paths.ts'
import { type InterfaceClient, toolPath, treeAddress } from './interface-client.ts'

const scheme = 'workroom://'
const maxListed = 200

/** Every file of the tree as `workroom://projects/…` or `workroom://rooms/…`. */
export function registerResources(server: McpServer, client: InterfaceClient): void {
  const template = new ResourceTemplate(`${scheme}{+path}`, {
    list: async () => ({ resources: await listed(client) }),
    complete: { path: (value) => completions(client, value) },
  })
  server.registerResource(
    'file',
    template,
    { title: 'A file of the workspace', mimeType: 'text/markdown' },
    async (uri) => {
      const { text, json, header } = await client.send('GET', treeAddress(uri.href))
      const mimeType =
        json === undefined ? String(header('content-type')).split(';', 1)[0]! : 'application/json'
      return {
        contents: [{ uri: uri.href, mimeType, text: json === undefined ? text : JSON.stringify(json) }],
      }
    },
  )
}

const folders = ['docs', 'posts', 'drafts']

async function listed(client: InterfaceClient) {
  const { json } = await client.send('GET', `${treeRoot}/projects`)
  const pages = await Promise.all(
    (json.projects as { path: string }[]).flatMap(({ path }) =>
      folders.map((folder) => client.send('GET', `${path}/${folder}`, { query: { limit: maxListed } })),
    ),
  )
  const rows = pages.flatMap(
    ({ json }) => (json.documents ?? json.posts) as { path: string; title: string }[],
  )
  return rows.map(({ path, title }) => ({
    uri: scheme + toolPath(path),
    name: title,
    mimeType: 'text/markdown',
  }))
}

async function completions(client: InterfaceClient, value: string): Promise<string[]> {
  const folder = value.includes('/') ? value.slice(0, value.lastIndexOf('/')) : 'projects'
  const { json } = await client.send('GET', treeAddress(folder))
  const rows = (Object.values(json ?? {}).find(Array.isArray) ?? []) as { path: string }[]
  return rows
    .map(({ path }) => toolPath(path))
    .filter((path) => path.startsWith(value))
    .slice(0, 100)
}
