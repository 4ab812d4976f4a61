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
 * Kind `page` is one of the server's own pages, which the server passes to `find`. A document is found by a title that is
 * similar; the same words are found in its text.
 */
export interface NameMatch {
  kind: NameKind | 'page' | 'document' | 'post' | 'card'
  title: string
  page: string
  where?: string
}
