import { z } from 'zod'
import { type SearchResult, searchTypes } from '../../core/search/search.ts'
import { model } from './model.ts'

export const searchResult = model(
  'SearchResult',
  z.object({
    id: z.string(),
    type: z.enum(searchTypes),
    title: z.string(),
    path: z.string(),
    url: z.string(),
    snippet: z.string(),
  }) satisfies z.ZodType<SearchResult>,
)
