import type { ProjectLinkRow } from '../../data/tables/project-links.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

const maxLinks = 500

const maxLines = 5000

const maxLineLength = 2000

const heading = '# Links'

/** Skipped when the page is sent back. */
const instructions =
  'Pages that matter to this project. To change them, PUT this file with one `- [title](url): note` line for each.'

export const linksPage = (links: readonly ProjectLinkRow[]): string =>
  `${[heading, '', instructions, ...(links.length > 0 ? ['', ...links.map(lineOf)] : [])].join('\n')}\n`

const lineOf = ({ title, url, note }: ProjectLinkRow): string =>
  `- [${title}](${url})${note === '' ? '' : `: ${note}`}`

/** @throws WorkspaceError `invalid`, naming the line that is no link */
export function parseLinksPage(page: string): ProjectLinkRow[] {
  const links: ProjectLinkRow[] = []
  const lines = page.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/, maxLines + 1)
  if (lines.length > maxLines) {
    throw new WorkspaceError('invalid', `The page has more than ${maxLines} lines. Remove some.`)
  }
  for (const [index, line] of lines.entries()) {
    if (isSkipped(line)) continue
    links.push(linkOf(line, index + 1))
    if (links.length > maxLinks) {
      throw new WorkspaceError('invalid', `A project has at most ${maxLinks} links.`)
    }
  }
  return links
}

const isSkipped = (line: string): boolean =>
  line.trim() === '' || line.trim() === instructions || /^ {0,3}#{1,6}(?:\s|$)/.test(line)

/** Matches a bullet, a title in brackets, an address and a description. */
const link =
  /^\s*(?:[-*+]\s+)?\[((?:\\.|\[[^[\]\\]*\]|[^[\]\\])+)\]\(\s*(<[^<>]*>|(?:\\.|\([^()\s]*\)|[^()\s\\])+)\s*\)\s*(?::\s*(.*))?$/u

function linkOf(line: string, number: number): ProjectLinkRow {
  const refuse = (reason: string): never => {
    const excerpt = JSON.stringify(line.trim().slice(0, 80))
    throw new WorkspaceError('invalid', `Line ${number}, ${excerpt}, ${reason}`)
  }
  if (line.length > maxLineLength) return refuse(`is longer than ${maxLineLength} characters.`)
  const [, title = '', url = '', note = ''] = link.exec(line) ?? []
  if (title.trim() === '') return refuse('is not a link. Write - [title](url): note, or a heading.')
  if (!isAddress(url.replace(/^<|>$/g, '').replace(/\\([!-/:-@[-`{-~])/g, '$1'))) {
    return refuse('has an invalid url: it must begin with https://, http:// or /, a path of this workspace.')
  }
  return { title: title.trim(), url, note: note.trim() }
}

/** A web address, or a path on this server: `//host` and `/\host` are other sites. */
function isAddress(url: string): boolean {
  if (/^\/(?![/\\])/.test(url)) return true
  return /^https?:\/\//i.test(url) && URL.canParse(url)
}
