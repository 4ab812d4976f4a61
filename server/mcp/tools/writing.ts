import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  type InterfaceClient,
  type InterfaceResponse,
  RefusedError,
  toolPath,
  treeAddress,
} from '../interface-client.ts'
import { present, tool } from '../tool.ts'

const path = z.string().max(1000).describe('Such as projects/harbour/docs/tides.md')
const expectedRevision = z
  .string()
  .optional()
  .describe('The revision that you read: refused if the file has changed since')

const writeOutput = z.object({
  path: z.string(),
  revision: z.string().optional(),
  unchanged: z.literal(true).optional(),
})

const writeResult = ({ json, header }: InterfaceResponse) => ({
  path: toolPath(String(json.path)),
  ...present({
    revision: header('x-service-revision'),
    unchanged: json.changed === false ? (true as const) : undefined,
  }),
})

export const write = tool({
  name: 'write',
  title: 'Write a file',
  description:
    'Creates or replaces a whole markdown file: a document (docs/), draft (drafts/), card (board/<column>/) or, to publish at once, a post (posts/) or a file of a skill (skills/<name>/SKILL.md). Its text begins with the title, as "# Title". To change a part of a file use edit.',
  input: z.strictObject({ path, text: z.string(), expectedRevision }),
  output: writeOutput,
  isDestructive: true,
  isIdempotent: true,
  async run(client, { path, text, expectedRevision }) {
    const skill = skillFileAt(path)
    if (skill) return publishSkillFile(client, skill, text)
    return writeResult(
      await client.send('PUT', treeAddress(path), { markdown: text, query: { expectedRevision } }),
    )
  },
})

const edits = z
  .array(
    z.union([
      z.strictObject({
        find: z.string(),
        replace: z.string(),
        expectedCount: z.int().min(1).optional(),
      }),
      z.strictObject({ block: z.string(), text: z.string() }),
      z.strictObject({ append: z.string() }),
    ]),
  )
  .min(1)
  .max(100)

export const edit = tool({
  name: 'edit',
  title: 'Edit a file',
  description:
    'Changes parts of a file, all edits or none: replaces a text that is found exactly (find, replace), one block by its id (block, text), or appends. An error shows the current text.',
  input: z.strictObject({ path, edits, expectedRevision }),
  output: writeOutput,
  isDestructive: true,
  async run(client, { path, ...fields }) {
    return writeResult(await client.send('PATCH', treeAddress(path), { fields }))
  },
})

export const move = tool({
  name: 'move',
  title: 'Move, rename or publish',
  description:
    'Moves a document to another folder or name (to = guides/setup.md), moves a card to a column (to = 03-in-progress), or publishes a draft (to = posts).',
  input: z.strictObject({ path, to: z.string().max(1000) }),
  output: z.object({ path: z.string() }),
  async run(client, { path, to }) {
    const address = treeAddress(path)
    if (/\/drafts\/[^/]+$/.test(address)) return moveResult(await client.send('POST', `${address}/_publish`))
    const fields = /\/board\//.test(address) ? { toColumn: to } : { to }
    return moveResult(await client.send('POST', `${address}/_move`, { fields }))
  },
})

const moveResult = ({ json }: InterfaceResponse) => ({ path: toolPath(String(json.path)) })

export const remove = tool({
  name: 'delete',
  title: 'Delete a file',
  description: 'Moves a file to the trash, from which restore brings it back for 30 days.',
  input: z.strictObject({ path, expectedRevision }),
  output: z.object({ deleted: z.literal(true), id: z.string().optional() }),
  isDestructive: true,
  isIdempotent: true,
  async run(client, { path, expectedRevision }) {
    const { json } = await client.send('DELETE', treeAddress(path), { query: { expectedRevision } })
    return { deleted: true as const, ...present({ id: json.id as string }) }
  },
})

export const restore = tool({
  name: 'restore',
  title: 'Restore a file or a revision',
  description:
    'With revision: writes an older revision of a file again. Without: restores an entry of projects/<project>/trash; path is the entry’s path.',
  input: z.strictObject({ path, revision: z.string().optional() }),
  output: writeOutput,
  async run(client, { path, revision }) {
    const address = treeAddress(path).replace(/\/_restore$/, '')
    const fields = revision === undefined ? undefined : { revision }
    return writeResult(await client.send('POST', `${address}/_restore`, fields && { fields }))
  },
})

interface SkillFile {
  project: string
  name: string
  file: string
}

/** undefined for another path. */
function skillFileAt(path: string): SkillFile | undefined {
  const [, project, name, file] =
    /\/projects\/([^/]+)\/skills\/([^/]+)\/(.+)$/.exec(decodeURI(treeAddress(path))) ?? []
  return file === undefined ? undefined : { project: project!, name: name!, file }
}

/** Publishes a version with this file added or replaced. @throws Error for an unpublished draft */
async function publishSkillFile(
  client: InterfaceClient,
  { project, name, file }: SkillFile,
  text: string,
): Promise<{ path: string }> {
  const { version, draftRevision, files } = await publishedFiles(client, project, name)
  const base = { project, name, expectedVersion: version }
  const draft = { ...base, expectedDraftRevision: draftRevision, files: { ...files, [file]: text } }
  const saved = await client.send('POST', '/v1/skills', { fields: draft })
  const publication = { ...base, expectedDraftRevision: saved.json.skill.draftRevision }
  const { json } = await client.send('POST', '/v1/skills/publish', { fields: publication })
  return { path: `${toolPath(json.skill.path)}/${file}` }
}

interface SkillState {
  version: number
  draftRevision: number
  files: Record<string, string> | null
}

async function publishedFiles(client: InterfaceClient, project: string, name: string): Promise<SkillState> {
  const path = `/v1/skills/${encodeURIComponent(project)}/${encodeURIComponent(name)}`
  const draft = await client.send('GET', path).catch((error) => {
    if (error instanceof RefusedError && error.response.status === 404) return null
    throw error
  })
  if (draft === null) return { version: 0, draftRevision: 0, files: null }
  const { version, draftRevision, files } = draft.json.skill as SkillState
  const published = version === 0 ? null : await client.send('GET', path, { query: { version } })
  const publishedFiles = published && (published.json.skill as SkillState).files
  if (!isDeepStrictEqual(files, publishedFiles)) {
    throw new Error(
      `The skill ${name} has a draft that is not published. Its author publishes it by POST /v1/skills/publish, or replaces it by POST /v1/skills.`,
    )
  }
  return { version, draftRevision, files: publishedFiles }
}
