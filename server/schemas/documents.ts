import { z } from 'zod'
import { ingesting, model, time, unreached } from './model.ts'

export const documentReference = z.object({ id: z.string(), title: z.string(), path: z.string() })

const conflictCopies = z.array(z.string()).exactOptional()

/** Only where pages were requested; null on the last page. */
const nextCursor = z.string().nullable().exactOptional()

const listed = { nextCursor, ...ingesting }

const blockIds = z.object({
  rebound: z.int(),
  orphaned: z.int(),
  total: z.int(),
  written: z.array(z.string()).exactOptional(),
})

export const written = model(
  'Written',
  z.object({
    filename: z.string(),
    path: z.string(),
    id: z.string(),
    url: z.string(),
    created: z.boolean(),
    changed: z.boolean(),
    blockIds,
    ...unreached,
  }),
)

export const deleted = model(
  'Deleted',
  z.object({ id: z.string().nullable(), filename: z.string(), deleted: z.literal(true) }),
)

export const moved = model(
  'Moved',
  z.object({
    id: z.string(),
    number: z.int().exactOptional(),
    filename: z.string(),
    path: z.string(),
    url: z.string(),
    column: z.string().exactOptional(),
    moved: z.boolean(),
  }),
)

export const postList = model(
  'PostList',
  z.object({
    project: z.string(),
    posts: z.array(
      z.object({
        filename: z.string(),
        id: z.string(),
        title: z.string(),
        publishedAt: time,
        isDraft: z.boolean(),
        path: z.string(),
        url: z.string(),
        conflictCopies,
      }),
    ),
    ...listed,
  }),
)

const documents = z.array(
  z.object({
    filename: z.string(),
    id: z.string(),
    title: z.string(),
    author: z.string(),
    lastEditedAt: time,
    bytes: z.int(),
    path: z.string(),
    url: z.string(),
    conflictCopies,
  }),
)

export const documentList = model('DocumentList', z.object({ project: z.string(), documents, ...listed }))

export const documentFolder = model(
  'DocumentFolder',
  z.object({ project: z.string(), folder: z.string(), documents, ...listed }),
)

export const board = model(
  'Board',
  z.object({
    project: z.string(),
    columns: z.array(z.object({ name: z.string(), title: z.string(), count: z.int(), path: z.string() })),
    ...ingesting,
  }),
)

export const column = model(
  'Column',
  z.object({
    project: z.string(),
    column: z.string(),
    cards: z.array(
      z.object({
        filename: z.string(),
        id: z.string(),
        number: z.int(),
        title: z.string(),
        status: z.string(),
        priority: z.string(),
        labels: z.array(z.string()),
        assignees: z.array(z.string()),
        lastActivityAt: time,
        path: z.string(),
        url: z.string(),
        conflictCopies,
      }),
    ),
    ...listed,
  }),
)

const viewed = z.object({
  id: z.string(),
  title: z.string(),
  lastEditedAt: z.string(),
  bytes: z.int(),
})

const lines = z.array(z.int())

export const blocksView = model(
  'BlocksView',
  z.object({
    canonical: z.string(),
    note: z.string(),
    document: viewed,
    blocks: z.array(
      z.object({
        id: z.string(),
        writable: z.boolean(),
        type: z.string(),
        lines,
        offsets: z.array(z.int()),
        text: z.string(),
        depth: z.int().exactOptional(),
        anchor: z.string().exactOptional(),
        // For tables: the first row, then every other cell.
        columns: z.array(z.string()).exactOptional(),
        cells: z.array(z.object({ row: z.int(), col: z.int(), text: z.string() })).exactOptional(),
      }),
    ),
  }),
)

export const outlineView = model(
  'OutlineView',
  z.object({
    canonical: z.string(),
    headings: z.array(
      z.object({
        id: z.string(),
        writable: z.boolean(),
        depth: z.int(),
        text: z.string(),
        anchor: z.string(),
        lines,
      }),
    ),
  }),
)

export const revisionList = model(
  'RevisionList',
  z.object({
    revisions: z.array(
      z.object({
        revision: z.string(),
        at: time,
        author: z.string(),
        writers: z.array(z.string()).exactOptional(),
        via: z.string(),
        bytes: z.int(),
      }),
    ),
  }),
)
