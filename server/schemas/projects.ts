import { z } from 'zod'
import { memberTypes } from '../../core/access/member.ts'
import { projectRoles } from '../../core/access/project.ts'
import type { CommentView } from '../../core/comments/types.ts'
import type { PostView } from '../../core/posts/types.ts'
import type { ProjectView } from '../../core/projects/projects.ts'
import type { RepositoryView } from '../../core/repositories/types.ts'
import { author, model, time } from './model.ts'

export const project = model(
  'Project',
  z.object({
    _id: z.string(),
    slug: z.string(),
    name: z.string(),
    role: z.enum(projectRoles).nullable(),
    postCount: z.int(),
    archivedAt: time.nullable(),
    url: z.string(),
  }) satisfies z.ZodType<ProjectView>,
)

export const deletedProject = model(
  'DeletedProject',
  z.object({
    _id: z.string(),
    slug: z.string(),
    name: z.string(),
    deletedAt: time,
    deletedBy: z.string(),
  }),
)

export const projectMember = model(
  'ProjectMember',
  z.object({
    memberId: z.string(),
    name: z.string(),
    type: z.enum(memberTypes),
    role: z.enum(projectRoles),
  }),
)

export const post = model(
  'Post',
  z.object({
    _id: z.string(),
    projectId: z.string(),
    title: z.string(),
    body: z.string(),
    author,
    publishedAt: time,
    editedAt: time.nullable(),
    isDraft: z.boolean(),
    isPinned: z.boolean(),
    scheduledFor: time.nullable(),
    commentCount: z.int(),
    lastActivityAt: time,
    filename: z.string(),
    path: z.string(),
    url: z.string(),
  }) satisfies z.ZodType<PostView>,
)

export const comment = model(
  'Comment',
  z.object({
    _id: z.string(),
    postId: z.string(),
    parentId: z.string().nullable(),
    body: z.string(),
    author,
    createdAt: time,
    block: z.string().exactOptional(),
    quote: z.string().exactOptional(),
    blockRemoved: z.literal(true).exactOptional(),
    editedAt: time.exactOptional(),
    deleted: z.literal(true).exactOptional(),
  }) satisfies z.ZodType<CommentView>,
)

export const repository = model(
  'Repository',
  z.object({
    _id: z.string(),
    dir: z.string(),
    name: z.string(),
    source: z.string(),
    defaultBranch: z.string(),
    commit: z.string(),
    linkedBy: z.string(),
    linkedAt: time,
    refreshedAt: time,
    problem: z.string().nullable(),
    forge: z.object({ api: z.string(), owner: z.string(), name: z.string() }).nullable(),
    path: z.string(),
  }) satisfies z.ZodType<RepositoryView>,
)
