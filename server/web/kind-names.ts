export const kindNames = {
  home: 'home page',
  post: 'post',
  draft: 'draft',
  document: 'document',
  card: 'card',
  file: 'file',
} as const
