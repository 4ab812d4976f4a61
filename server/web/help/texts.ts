import { readdirSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { programFile } from '../../../core/program.ts'

export interface HelpText {
  title: string
  /** Markdown below the title, with unusable links removed. */
  body: string
  /** Maps a link to its page; null for a link out of the documentation. */
  pageOf(link: string): string | null
}

export const helpPath = '/help'

/** By page path. The first page is the part of the README that lists the others. */
export function helpTexts(): Map<string, HelpText> {
  const below = readdirSync(programFile('docs/'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.split(sep).join('/')}`)
  const pages = new Map(['README.md', 'CONTRIBUTING.md', ...below].map((file) => [file, pagePathOf(file)]))
  return new Map([...pages].map(([file, path]) => [path, textOf(file, pages)]))
}

/** `docs/decisions/README.md` becomes `/help/decisions`. */
function pagePathOf(file: string): string {
  const name = file.replace(/^docs\//, '').replace(/\.md$/, '')
  if (name === 'README') return helpPath
  // `/help/api` is the interactive reference (`apiHelpRoutes`).
  if (name === 'api') return `${helpPath}/endpoints`
  return `${helpPath}/${name === 'CONTRIBUTING' ? 'contributing' : name.replace(/\/README$/, '')}`
}

function textOf(file: string, pages: ReadonlyMap<string, string>): HelpText {
  const whole = readFileSync(programFile(file), 'utf8')
  const text = file === 'README.md' ? whole.slice(whole.indexOf('## Documentation') + 1) : whole
  const [, title = file, body = ''] = /^# (.*)\n([\s\S]*)$/.exec(text) ?? []
  const pageOf = (link: string) => {
    const [, target = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(link) ?? []
    if (target === '') return anchor
    const page = pages.get(posix.join(posix.dirname(file), target))
    return page === undefined ? null : page + anchor
  }
  return { title, body: renderable(body, pageOf), pageOf }
}

/** Source files and pictures are not served: keeps the text of links to them, and drops pictures. */
const renderable = (markdown: string, pageOf: HelpText['pageOf']): string =>
  markdown.replace(
    /(!?)\[([^\]\n]+)\]\(([^)\s]+)\)/g,
    (link, picture: string, text: string, target: string) => {
      if (picture) return ''
      return /^https?:/.test(target) || pageOf(target) !== null ? link : text
    },
  )
