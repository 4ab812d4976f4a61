export const homePath = '/'

const maxLength = 2000
const anyBase = 'http://workroom.invalid'

/**
 * A path of this server from a request, to redirect to: never another site, nor the sign-in page.
 * @returns `homePath` if it is none
 */
export function localPath(text: string | null | undefined): string {
  if (!text?.startsWith('/') || text.length > maxLength || !URL.canParse(text, anyBase)) return homePath
  const { origin, pathname, search, hash } = new URL(text, anyBase)
  // A path that begins with two slashes is an address of its own.
  const isOurs =
    origin === anyBase && !pathname.startsWith('//') && !/^\/sign(?:in|out)(?:\/|$)/.test(pathname)
  return isOurs ? pathname + search + hash : homePath
}

/** The sign-in page that then redirects to `path`. */
export const signinPagePath = (path: string): string =>
  localPath(path) === homePath ? '/signin' : `/signin?next=${encodeURIComponent(path)}`
