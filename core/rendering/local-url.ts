/**
 * An address of the workspace without its beginning: a page that was opened by another name of this machine links within
 * that name, where its reader is signed in.
 */
export function localUrl(url: string): string {
  const { pathname, search, hash } = new URL(url, 'https://workroom.invalid')
  return pathname + search + hash
}
