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

/** `page` is one of the server's own. Documents match by similar titles; search finds the same words. */
export interface NameMatch {
  kind: NameKind | 'page' | 'document' | 'post' | 'card'
  title: string
  page: string
  where?: string
}
