import { z } from 'zod'
import { ingesting, model, time, unreached } from './model.ts'
import { presentMember } from './presence.ts'
import { skillFile, skillListing } from './skills.ts'

const conflictCopies = z.array(z.string()).exactOptional()

/** Of a list that was asked for in pages: the cursor of the next; null at the end. */
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

/** A page whose parts are rows of the database: the links and the goal. */
export const writtenPage = model(
  'WrittenPage',
  z.object({
    filename: z.string(),
    path: z.string(),
    url: z.string(),
    changed: z.boolean(),
    // The parts of a plan that are not its goal, and were not kept.
    ignored: z.array(z.string()).exactOptional(),
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

export const projectList = model(
  'ProjectList',
  z.object({
    projects: z.array(
      z.object({
        slug: z.string(),
        name: z.string(),
        postCount: z.int(),
        url: z.string(),
        path: z.string(),
        archivedAt: time.exactOptional(),
      }),
    ),
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
        // Of a table: its first row, and the others cell by cell.
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

const linking = z.object({ id: z.string(), title: z.string(), path: z.string() })

export const linkList = model(
  'LinkList',
  z.object({
    document: linking,
    links: z.array(
      z.object({
        token: z.string(),
        type: z.string().nullable(),
        id: z.string().nullable(),
        title: z.string().nullable(),
        path: z.string().nullable(),
        url: z.string().nullable(),
        anchor: z.string().nullable(),
        label: z.string().nullable(),
        isEmbed: z.boolean(),
        isDead: z.boolean(),
      }),
    ),
  }),
)

export const backlinkList = model(
  'BacklinkList',
  z.object({
    document: linking,
    backlinks: z.array(
      z.object({
        id: z.string(),
        docType: z.string(),
        title: z.string(),
        path: z.string(),
        url: z.string(),
        anchor: z.string().nullable(),
        context: z.string(),
      }),
    ),
  }),
)

export const presence = model(
  'DocumentPresence',
  z.object({
    document: linking,
    present: z.boolean(),
    block: z.string().nullable().exactOptional(),
    blockResolved: z.boolean().exactOptional(),
    here: z.array(presentMember),
    // Somebody has it open to type in it.
    live: z.literal(true).exactOptional(),
  }),
)

export const attachmentList = model(
  'AttachmentList',
  z.object({ attachments: z.array(skillFile.extend({ id: z.string() })) }),
)

export const attachment = model(
  'Attachment',
  z.object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    size: z.int(),
  }),
)

export const libraryFile = model(
  'LibraryFile',
  z.object({
    name: z.string(),
    type: z.string(),
    size: z.int(),
    updatedAt: time,
    path: z.string(),
    downloadUrl: z.string(),
  }),
)

export const libraryFileLink = model(
  'LibraryFileLink',
  z.object({
    name: z.string(),
    type: z.string(),
    size: z.int(),
    downloadUrl: z.string(),
  }),
)

export const libraryFileList = model(
  'LibraryFileList',
  z.object({ project: z.string(), files: z.array(libraryFile) }),
)

export const libraryFolder = model(
  'LibraryFolder',
  z.object({
    project: z.string(),
    folder: z.string(),
    files: z.array(libraryFile),
  }),
)

export const library = model(
  'Library',
  z.object({
    project: z.string(),
    folders: z.array(z.object({ name: z.string(), count: z.int(), path: z.string() })),
  }),
)

export const repositoryList = model(
  'RepositoryList',
  z.object({
    project: z.string(),
    repositories: z.array(
      z.object({
        dir: z.string(),
        name: z.string(),
        defaultBranch: z.string(),
        refreshedAt: time,
        problem: z.string().nullable(),
        path: z.string(),
      }),
    ),
  }),
)

export const repositoryFolder = model(
  'RepositoryFolder',
  z.object({
    project: z.string(),
    repository: z.string(),
    ref: z.string(),
    commit: z.string(),
    refreshedAt: time,
    problem: z.string().nullable(),
    entries: z.array(
      z.object({
        name: z.string(),
        type: z.enum(['file', 'symlink', 'submodule']),
        size: z.int().nullable(),
        path: z.string(),
      }),
    ),
    truncated: z.boolean(),
    skipped: z.int(),
  }),
)

export const pullList = model(
  'PullList',
  z.object({
    project: z.string(),
    pulls: z.array(
      z.object({
        number: z.int(),
        title: z.string(),
        state: z.string(),
        head: z.string(),
        base: z.string(),
        author: z.string(),
        updatedAt: time,
        draft: z.boolean(),
        url: z.string(),
        path: z.string(),
      }),
    ),
    refreshedAt: time.nullable(),
    stale: z.boolean(),
    problem: z.string().nullable(),
  }),
)

export const refList = model(
  'RefList',
  z.object({
    query: z.string(),
    refs: z.array(
      z.object({
        token: z.string(),
        type: z.string(),
        id: z.string(),
        title: z.string(),
        path: z.string(),
        url: z.string(),
      }),
    ),
  }),
)

export const skillList = model('SkillList', z.object({ project: z.string(), skills: z.array(skillListing) }))

export const skillFolder = model(
  'SkillFolder',
  z.object({
    project: z.string(),
    skill: skillListing,
    files: z.array(skillFile),
  }),
)

export const trashList = model(
  'TrashList',
  z.object({
    project: z.string(),
    trash: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(['home', 'post', 'draft', 'document', 'card', 'file']),
        filename: z.string(),
        title: z.string(),
        deletedAt: time,
        deletedBy: z.string(),
        path: z.string(),
      }),
    ),
  }),
)

/** A file of the library that was restored: it has no revision and no blocks. */
export const restoredFile = model(
  'RestoredFile',
  z.object({
    filename: z.string(),
    path: z.string(),
    id: z.string(),
    created: z.boolean(),
  }),
)

export const roomList = model(
  'RoomList',
  z.object({
    rooms: z.array(
      z.object({ filename: z.string(), name: z.string(), joined: z.boolean(), path: z.string() }),
    ),
  }),
)

export const createdProject = model('CreatedProject', z.object({ slug: z.string(), name: z.string() }))

export const helpTopics = model(
  'HelpTopics',
  z.object({
    topics: z.array(
      z.object({ filename: z.string(), title: z.string(), about: z.string(), path: z.string() }),
    ),
  }),
)
