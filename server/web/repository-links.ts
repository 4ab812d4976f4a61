const anyBase = 'https://workroom.invalid'

/** Maps a markdown file's links to pages. @param tree page path of the root @param file path within it */
export const pageForPath =
  (tree: string, file: string) =>
  (link: string): string | null => {
    const base = `${anyBase}/${file.split('/').map(encodeURIComponent).join('/')}`
    if (!URL.canParse(link, base)) return null
    const { origin, pathname, hash } = new URL(link, base)
    return origin === anyBase ? tree + (pathname === '/' ? '' : pathname) + hash : null
  }
