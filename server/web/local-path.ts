export const homePath = '/'

const maxLength = 2000
const anyBase = 'http://workroom.invalid'

/**
 * A path of this server, out of what a request says, for somebody to be led to: never the way to another site, nor back
 * to signing in.
 * @returns `homePath` where it is none
 */
export function localPath(text: string | null | undefined): string {
  if (!text?.startsWith('/') || text.length > maxLength || !URL.canParse(text, anyBase)) return homePath
  const { origin, pathname, search, hash } = new URL(text, anyBase)
  // A path that begins with two slashes is an address of its own.
  const isOurs =
    origin === anyBase && !pathname.startsWith('//') && !/^\/sign(?:in|out)(?:\/|$)/.test(pathname)
  return isOurs ? pathname + search + hash : homePath
}

/** The page to sign in on, for somebody who then goes on to `path`. */
export const signinPagePath = (path: string): string =>
  localPath(path) === homePath ? '/signin' : `/signin?next=${encodeURIComponent(path)}`
