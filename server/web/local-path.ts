export const homePath = '/'

const maxLength = 2000
const anyBase = 'http://workroom.invalid'

/** Returns a path of this server to redirect to, or `homePath`: never another site, nor the sign-in page. */
export function localPath(text: string | null | undefined): string {
  if (!text?.startsWith('/') || text.length > maxLength || !URL.canParse(text, anyBase)) return homePath
  const { origin, pathname, search, hash } = new URL(text, anyBase)
  // A path that begins with two slashes would name another host.
  const isOurs =
    origin === anyBase && !pathname.startsWith('//') && !/^\/sign(?:in|out)(?:\/|$)/.test(pathname)
  return isOurs ? pathname + search + hash : homePath
}

export const signinPagePath = (path: string): string =>
  localPath(path) === homePath ? '/signin' : `/signin?next=${encodeURIComponent(path)}`
