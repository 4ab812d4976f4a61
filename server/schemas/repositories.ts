import { z } from 'zod'
import { model, time } from './model.ts'

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
