import type { ParsedContent } from '../../markdown/index.ts'

/** Omits the usual values, to keep a revision's row small. */
export function storedDigest(digest: ParsedContent): string {
  const { titleSource, frontmatter, mentions, links, blockNames, plain, ...rest } = digest
  return JSON.stringify({
    ...rest,
    ...(titleSource !== 'heading' && { titleSource }),
    ...(frontmatter && { frontmatter }),
    ...(mentions.length > 0 && { mentions }),
    ...(links && links.length > 0 && { links }),
    ...(Object.keys(blockNames).length > 0 && { blockNames }),
    ...(plain && { plain }),
  })
}

export const parseDigest = (stored: string): ParsedContent => ({
  titleSource: 'heading',
  frontmatter: null,
  mentions: [],
  links: [],
  blockNames: {},
  plain: null,
  ...JSON.parse(stored),
})
