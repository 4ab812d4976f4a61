export const namedKinds = [
  'room',
  'project',
  'person',
  'agent',
  'ask',
  'file',
  'pull',
  'repository',
  'skill',
] as const
export type NameKind = (typeof namedKinds)[number]

/**
 * `page` is one of the server's own pages. Documents are found only by similar titles, since search finds the
 * same words in their texts.
 */
export interface NameMatch {
  kind: NameKind | 'page' | 'document' | 'post' | 'card'
  title: string
  page: string
  where?: string
}
