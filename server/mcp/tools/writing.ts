import { z } from 'zod'
import { type InterfaceResponse, toolPath, treeAddress } from '../interface-client.ts'
import { present, tool } from '../tool.ts'
import { publishSkillFile, skillFileAt } from './skills.ts'

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
