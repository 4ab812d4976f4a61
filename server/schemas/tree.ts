import { z } from 'zod'
import { documentReference } from './documents.ts'
import { model, time } from './model.ts'
import { presentMember } from './presence.ts'
import { skillFile, skillListing } from './skills.ts'

/** Pages whose content is rows of the database: links and plan. */
export const writtenPage = model(
  'WrittenPage',
  z.object({
    filename: z.string(),
    path: z.string(),
    url: z.string(),
    changed: z.boolean(),
    // Parts of a plan other than its goal, which are not stored.
    ignored: z.array(z.string()).exactOptional(),
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

export const presence = model(
  'DocumentPresence',
  z.object({
    document: documentReference,
    present: z.boolean(),
    block: z.string().nullable().exactOptional(),
    blockResolved: z.boolean().exactOptional(),
    here: z.array(presentMember),
    // Somebody has it open in an editor.
    live: z.literal(true).exactOptional(),
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

/** A restored file of the library has neither revision nor blocks. */
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
