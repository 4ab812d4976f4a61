import { z } from 'zod'
import { documentReference } from './documents.ts'
import { model } from './model.ts'

export const linkList = model(
  'LinkList',
  z.object({
    document: documentReference,
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
    document: documentReference,
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
