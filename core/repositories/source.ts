import type { GitSource } from '../../data/outbound/git.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { percentDecode } from '../text/percent-decode.ts'

const maxSourceLength = 1000

const maxNameLength = 100

/** @throws WorkspaceError `bad_request`; never repeats an address, which may contain a password */
export function requireSource(text: string): GitSource {
  if (text.length > maxSourceLength || /\p{Cc}/u.test(text)) {
    throw invalidSourceError(`The source is one line of at most ${maxSourceLength} characters.`)
  }
  if (text.startsWith('/')) return { kind: 'folder', path: text }
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw invalidSourceError(
      'The source must be the absolute path of a folder on the server, or an https address.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidSourceError(
      "The source must not contain a user name or password: it is shown to the project's members.",
    )
  }
  if (url.search !== '' || url.hash !== '') throw invalidSourceError('The source must not contain ? or #.')
  return { kind: 'address', url: url.href }
}

export const parseStoredSource = (text: string): GitSource =>
  text.startsWith('/') ? { kind: 'folder', path: text } : { kind: 'address', url: text }

export const formatSource = (source: GitSource): string =>
  source.kind === 'folder' ? source.path : source.url

export function repositoryName(source: GitSource): string {
  const path = source.kind === 'folder' ? source.path : pathIn(source.url)
  const name = path
    .replace(/(?:\/|\/\.git|\.git)*$/, '')
    .split('/')
    .at(-1)!
  return [...(name || 'repository')].slice(0, maxNameLength).join('')
}

function pathIn(url: string): string {
  const { pathname } = new URL(url)
  return percentDecode(pathname) ?? pathname
}

const invalidSourceError = (message: string) => new WorkspaceError('bad_request', message)
