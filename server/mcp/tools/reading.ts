import { createPatch } from 'diff'
import { z } from 'zod'
import { treeRoot } from '../../../core/paths.ts'
import { type FolderRow, pageOfFolder, rowsFrom } from '../folder-pages.ts'
import { type InterfaceClient, toolPath, treeAddress } from '../interface-client.ts'
import { present, tool } from '../tool.ts'
import { entriesIn } from '../tree-entries.ts'

const path = z.string().max(1000).describe('Such as projects/harbour/docs/tides.md')

/** UTF-16 code units; about 4,000 tokens. */
const maxCharacters = 16_000

const maxRows = 100
const maxHeadings = 200
const maxRevisions = 20

const entry = z.object({
  path: z.string().optional(),
  title: z.string().optional(),
  id: z.string().optional(),
  count: z.int().optional(),
  changedAt: z.int().optional(),
})

const cursor = z.string().optional().describe('nextCursor of the page before')
const from = z.int().min(0).optional()

function partOf(text: string, start = 0): { part: string; next?: number } {
  const part = text.slice(start, start + maxCharacters)
  const end = start + part.length
  return { part, ...(end < text.length && { next: end }) }
}

export const orient = tool({
  name: 'orient',
  title: 'Orient',
  description:
    'Start here. Says who you are, what waits for you (mentions, asks, unread rooms), what changed since you were last here, and what to do next.',
  input: z.strictObject({}),
  output: z.object({ text: z.string() }),
  isReadOnly: true,
  async run(client) {
    return { text: (await client.send('GET', treeRoot)).text }
  },
})

export const list = tool({
  name: 'list',
  title: 'List a folder',
  description:
    'Lists a folder: projects, projects/<project>, its /docs, /posts, /drafts, /board, /board/<column>, /library/files, /skills, /trash, rooms, or what links to a file: <file>/_backlinks. Each entry has the path for the next call.',
  input: z.strictObject({
    path,
    limit: z.int().min(1).max(1000).optional().describe(`Default ${maxRows}`),
    cursor,
  }),
  output: z.object({ entries: z.array(entry), nextCursor: z.string().optional() }),
  isReadOnly: true,
  async run(client, { path, limit = maxRows, cursor }) {
    const address = treeAddress(path)
    const folder = address === treeRoot ? '' : toolPath(address)
    const entries = entriesIn(folder)
    if (entries) {
      // Refused where the caller may not read the folder.
      if (folder !== '') await client.send('GET', address)
      return { entries: entries.map((path) => ({ path })) }
    }
    const { rows, nextCursor } = await pageOfFolder(client, folder, { limit, cursor })
    return { entries: rows.map(entryOf), ...present({ nextCursor }) }
  },
})

const entryOf = (row: FolderRow) => ({
  ...(row.path !== '' && { path: row.path }),
  ...present({
    title: row.title ?? row.name,
    id: row.id as string,
    count: (row.count ?? row.postCount) as number,
    changedAt: (row.lastEditedAt ??
      row.lastActivityAt ??
      row.publishedAt ??
      row.updatedAt ??
      row.deletedAt) as number,
  }),
})

const heading = z.object({ id: z.string(), depth: z.int(), text: z.string() })

export const read = tool({
  name: 'read',
  title: 'Read a file',
  description:
    'Reads a file: a document, post, draft, card, transcript (rooms/<room>.md), plan.md, asks.md and so on; after the text comes its revision. With view "outline" only its headings with block ids; with block only that block. What is long is truncated: continue with from = next.',
  input: z.strictObject({
    path,
    view: z.enum(['text', 'outline']).optional(),
    block: z.string().optional().describe('The id of one block'),
    from: from.describe('The character, or heading, to start at'),
    thread: z.string().optional().describe('Of a transcript: the message whose replies are read'),
  }),
  output: z.object({
    path: z.string().optional(),
    revision: z.string().optional(),
    text: z.string().optional(),
    headings: z.array(heading).optional(),
    next: z.int().optional(),
  }),
  isReadOnly: true,
  async run(client, { path, view, block, from, thread }) {
    const address = treeAddress(path)
    if (view === 'outline') return readOutline(client, address, from)
    if (block !== undefined) return readBlock(client, address, { id: block, from })
    const { text, json, header } = await client.send('GET', address, { query: { thread } })
    const { part, next } = partOf(json === undefined ? dropImpliedFields(text) : JSON.stringify(json), from)
    return {
      ...present({ revision: header('x-service-revision') }),
      text: part,
      ...present({ next }),
    }
  },
})

/** Drops frontmatter that the path already implies. */
const dropImpliedFields = (text: string): string =>
  text.replace(
    /^(---\nid: .+\n)project: .+\nprojectId: .+\n(author: .+\n)authorId: .+\nauthorType: .+\n/,
    '$1$2',
  )

async function readOutline(client: InterfaceClient, address: string, from = 0) {
  const { json, header } = await client.send('GET', address, { query: { view: 'outline' } })
  const headings = json.headings as z.output<typeof heading>[]
  const end = from + maxHeadings
  return {
    path: toolPath(json.canonical),
    ...present({ revision: header('x-service-revision') }),
    headings: headings.slice(from, end).map(({ id, depth, text }) => ({ id, depth, text })),
    ...(end < headings.length && { next: end }),
  }
}

async function readBlock(
  client: InterfaceClient,
  address: string,
  { id, from }: { id: string; from: number | undefined },
) {
  const { json, header } = await client.send('GET', address, { query: { view: 'blocks' } })
  const found = json.blocks.find((block: { id: string }) => block.id === id)
  if (!found) {
    throw new Error(
      `There is no block ${id} in this file (any more). Read it with view "outline" for the ids.`,
    )
  }
  const { part, next } = partOf(found.text, from)
  return {
    path: toolPath(json.canonical),
    ...present({ revision: header('x-service-revision') }),
    text: part,
    ...present({ next }),
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
  input: z.strictObject({
    path,
    revision: z.string().optional(),
    cursor,
    from: from.describe('next of the previous result'),
  }),
  output: z.object({
    revisions: z.array(z.object({ revision: z.string(), at: z.int(), author: z.string() })).optional(),
    nextCursor: z.string().optional(),
    difference: z.string().optional(),
    next: z.int().optional(),
  }),
  isReadOnly: true,
  async run(client, { path, revision, cursor, from }) {
    const address = treeAddress(path)
    if (revision === undefined) {
      const { json } = await client.send('GET', `${address}/_revisions`)
      const { rows, nextCursor } = rowsFrom(json.revisions as Revision[], { limit: maxRevisions, cursor })
      const revisions = rows.map(({ revision, at, author }) => ({ revision, at, author }))
      return { revisions, ...present({ nextCursor }) }
    }
    const [before, after] = await Promise.all([
      client.send('GET', address, { query: { revision } }),
      client.send('GET', address),
    ])
    const patch = createPatch(toolPath(address), before.text, after.text, revision, 'present', {
      context: 2,
      timeout: 100,
    })
    const { part, next } = partOf(patch ?? 'The texts are too different to compare.', from)
    return { difference: part, ...present({ next }) }
  },
})

interface Revision {
  revision: string
  at: number
  author: string
}

export const who = tool({
  name: 'who',
  title: 'Who is here',
  description: 'Lists the members of the workspace, and who is in which document now.',
  input: z.strictObject({ cursor }),
  output: z.object({
    members: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })),
    documents: z.array(z.object({ path: z.string(), here: z.array(z.string()) })),
    nextCursor: z.string().optional(),
  }),
  isReadOnly: true,
  async run(client, { cursor }) {
    const page = { limit: maxRows, cursor }
    const [members, presence] = await Promise.all([
      client.send('GET', '/api/members'),
      client.send('GET', '/v1/presence'),
    ])
    const memberPage = rowsFrom(members.json as { _id: string; name: string; type: string }[], page)
    const documentPage = rowsFrom(presence.json.documents as OccupiedDocument[], page)
    return {
      members: memberPage.rows.map(({ _id, name, type }) => ({ id: _id, name, type })),
      documents: documentPage.rows.map(({ path, here }) => ({
        path: toolPath(path),
        here: here.map(({ name }) => name),
      })),
      ...present({ nextCursor: memberPage.nextCursor ?? documentPage.nextCursor }),
    }
  },
})

interface OccupiedDocument {
  path: string
  here: { name: string }[]
}
