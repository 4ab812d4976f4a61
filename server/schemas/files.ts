import { z } from 'zod'
import { model, time } from './model.ts'
import { skillFile } from './skills.ts'

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
