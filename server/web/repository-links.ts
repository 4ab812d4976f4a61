const anyBase = 'https://workroom.invalid'

/**
 * Maps the links of a markdown file to pages of its tree.
 * @param tree path of the page of its root
 * @param file path of the file within it
 */
export const pageForPath =
  (tree: string, file: string) =>
  (link: string): string | null => {
    const base = `${anyBase}/${file.split('/').map(encodeURIComponent).join('/')}`
    if (!URL.canParse(link, base)) return null
    const { origin, pathname, hash } = new URL(link, base)
    return origin === anyBase ? tree + (pathname === '/' ? '' : pathname) + hash : null
  }
