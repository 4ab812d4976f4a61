/** Drops the origin: a page links within the host name by which it was opened. */
export function localUrl(url: string): string {
  const { pathname, search, hash } = new URL(url, 'https://workroom.invalid')
  return pathname + search + hash
}
