import { createPatch } from 'diff'
import { z } from 'zod'
import { treeRoot } from '../../../core/paths.ts'
import { type InterfaceClient, toolPath, treeAddress } from '../interface-client.ts'
import { present, tool } from '../tool.ts'

const path = z
  .string()
  .max(1000)
  .describe('A path as answers name it, such as projects/harbour/docs/tides.md')

/** In UTF-16 code units; about 4,000 tokens. */
const maxCharacters = 16_000

const entry = z.object({
  path: z.string(),
  title: z.string().optional(),
  id: z.string().optional(),
  count: z.int().optional(),
  changedAt: z.int().optional(),
})

export const orient = tool({
  name: 'orient',
  title: 'Orient',
  description:
    'Start here. Says who you are, what needs your attention (mentions, asks, unread rooms), what changed since your last visit, and what to do next.',
  input: z.strictObject({}),
  isReadOnly: true,
  async run(client) {
    return { text: (await client.send('GET', treeRoot)).text }
  },
})

export const list = tool({
  name: 'list',
  title: 'List a folder',
  description:
    'Lists a folder: projects, projects/<project>/docs, /posts, /drafts, /board, /board/<column>, /library/files, /skills, /trash, rooms, or what links to a file: <file>/_backlinks. Each entry has the path for the next call.',
  input: z.strictObject({
    path,
    limit: z.int().min(1).max(1000).optional(),
    cursor: z.string().optional().describe('nextCursor of the previous page'),
  }),
  output: z.object({ entries: z.array(entry), nextCursor: z.string().optional() }),
  isReadOnly: true,
  async run(client, { path, limit, cursor }) {
    const { json } = await client.send('GET', treeAddress(path), { query: { limit, cursor } })
    const rows = Object.values(json).find(Array.isArray) ?? []
    return { entries: rows.map(entryOf), ...present({ nextCursor: json.nextCursor as string }) }
  },
})

const entryOf = (row: Record<string, never>) => ({
  path: toolPath(String(row.path)),
  ...present({
    title: row.title ?? row.name,
    id: row.id,
    count: row.count ?? row.postCount,
    changedAt: row.lastEditedAt ?? row.lastActivityAt ?? row.publishedAt ?? row.updatedAt ?? row.deletedAt,
  }),
})

const heading = z.object({ id: z.string(), depth: z.int(), text: z.string() })

export const read = tool({
  name: 'read',
  title: 'Read a file',
  description:
    'Reads a file: a document, post, draft, card, transcript (rooms/<room>.md), plan.md, asks.md and so on; after the text come its path and revision. With view "outline" only its headings with block ids; with block only that block. Long texts are truncated: continue with from = next.',
  input: z.strictObject({
    path,
    view: z.enum(['text', 'outline']).optional(),
    block: z.string().optional().describe('The id of one block'),
    from: z.int().min(0).optional().describe('The character to start at'),
    thread: z.string().optional().describe('Of a transcript: the message whose replies are read'),
  }),
  isReadOnly: true,
  async run(client, { path, view, block, from = 0, thread }) {
    const address = treeAddress(path)
    if (view === 'outline') {
      const { json, header } = await client.send('GET', address, { query: { view: 'outline' } })
      const headings = json.headings.map(({ id, depth, text }: z.infer<typeof heading>) => ({
        id,
        depth,
        text,
      }))
      return {
        path: toolPath(json.canonical),
        ...present({ revision: header('x-service-revision') }),
        headings,
      }
    }
    if (block !== undefined) return readBlock(client, address, block)
    const { text, json, header } = await client.send('GET', address, { query: { thread } })
    const whole = json === undefined ? text : JSON.stringify(json)
    const shown = whole.slice(from, from + maxCharacters)
    const next = from + shown.length < whole.length ? from + shown.length : undefined
    return {
      path: toolPath(address),
      ...present({ revision: header('x-service-revision') }),
      text: shown,
      ...present({ next }),
    }
  },
})

async function readBlock(client: InterfaceClient, address: string, id: string) {
  const { json, header } = await client.send('GET', address, { query: { view: 'blocks' } })
  const found = json.blocks.find((block: { id: string }) => block.id === id)
  if (!found) {
    throw new Error(
      `There is no block ${id} in this file (any more). Read it with view "outline" for the ids.`,
    )
  }
  return {
    path: toolPath(json.canonical),
    ...present({ revision: header('x-service-revision') }),
    text: found.text as string,
  }
}

export const search = tool({
  name: 'search',
  title: 'Search',
  description: 'Finds words in documents, posts, cards, comments and messages that you may read, best first.',
  input: z.strictObject({
    query: z.string().min(1).max(500),
    project: z.string().optional(),
    type: z.enum(['document', 'post', 'card', 'comment', 'message']).optional(),
    limit: z.int().min(1).max(50).optional(),
  }),
  output: z.object({
    results: z.array(
      z.object({ path: z.string(), type: z.string(), title: z.string(), snippet: z.string() }),
    ),
  }),
  isReadOnly: true,
  async run(client, { query: q, project, type, limit = 10 }) {
    const { json } = await client.send('GET', '/v1/search', { query: { q, project, type, limit } })
    const results = json.results as { path: string; type: string; title: string; snippet: string }[]
    return {
      results: results.map(({ path, type, title, snippet }) => ({
        path: toolPath(path),
        type,
        title,
        snippet,
      })),
    }
  },
})

export const history = tool({
  name: 'history',
  title: 'History of a file',
  description:
    'Lists the newest revisions of a document, draft or card; with revision, what has changed from it to the present, as a unified diff.',
  input: z.strictObject({ path, revision: z.string().optional() }),
  output: z.object({
    revisions: z.array(z.object({ revision: z.string(), at: z.int(), author: z.string() })).optional(),
    difference: z.string().optional(),
  }),
  isReadOnly: true,
  async run(client, { path, revision }) {
    const address = treeAddress(path)
    if (revision === undefined) {
      const { json } = await client.send('GET', `${address}/_revisions`)
      const revisions = json.revisions as { revision: string; at: number; author: string }[]
      return {
        revisions: revisions.slice(0, 20).map(({ revision, at, author }) => ({ revision, at, author })),
      }
    }
    const [before, after] = await Promise.all([
      client.send('GET', address, { query: { revision } }),
      client.send('GET', address),
    ])
    const patch = createPatch(toolPath(address), before.text, after.text, revision, 'present', {
      context: 2,
      timeout: 100,
    })
    const difference = patch ?? 'The texts are too different to compare.'
    return { difference: difference.slice(0, maxCharacters) }
  },
})

export const who = tool({
  name: 'who',
  title: 'Who is here',
  description: 'Lists the members of the workspace, and who is in which document now.',
  input: z.strictObject({}),
  output: z.object({
    members: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })),
    documents: z.array(z.object({ path: z.string(), here: z.array(z.string()) })),
  }),
  isReadOnly: true,
  async run(client) {
    const [members, presence] = await Promise.all([
      client.send('GET', '/api/members'),
      client.send('GET', '/v1/presence'),
    ])
    return {
      members: members.json.map(({ _id, name, type }: Record<string, string>) => ({ id: _id, name, type })),
      documents: presence.json.documents.map(
        ({ path, here }: { path: string; here: { name: string }[] }) => ({
          path: toolPath(path),
          here: here.map(({ name }) => name),
        }),
      ),
    }
  },
})
