import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import GithubSlugger from 'github-slugger'
import t from 'tap'

/** A link or a comment's citation that leads to a file of the repository. */
interface Link {
  /** File and line, such as `README.md:7`. */
  from: string
  /** Its path in the repository. */
  file: string
  anchor: string | undefined
}

const filesIn = (folder: string, type: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => type.test(name))
    .map((name) => `${folder}/${name}`)

const pages = ['README.md', 'CONTRIBUTING.md', 'test/README.md', ...filesIn('docs', /\.md$/)]
const sources = ['bin', 'core', 'data', 'server', 'test'].flatMap((folder) =>
  filesIn(folder, /\.(?:ts|js|css|sql)$/),
)

/** The lines of a page, with code blocks as empty lines. */
function linesOutsideFences(markdown: string): string[] {
  let isCode = false
  return markdown.split('\n').map((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return isCode || isFence ? '' : line
  })
}

function linksIn(page: string): Link[] {
  return linesOutsideFences(readFileSync(page, 'utf8')).flatMap((line, index) =>
    [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^https?:/.test(target)) return []
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : posix.join(posix.dirname(page), decodeURIComponent(path))
      return { from: `${page}:${index + 1}`, file, anchor }
    }),
  )
}

/** Citations of a page in a comment: `docs/interface.md#limits`. */
function citationsIn(source: string): Link[] {
  return readFileSync(source, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const comment = /(?:^|\s)(?:\/\/|\/?\*\*?|--)\s.*$/.exec(line)?.[0] ?? ''
      const cited = comment.matchAll(/`([\w./-]+\.md)(?:#([\w-]+))?`(?=[\s,;:.)])/g)
      return [...cited].flatMap(([, file = '', anchor]) => {
        const isCitation = file.startsWith('docs/') || anchor !== undefined || file === 'CONTRIBUTING.md'
        return isCitation ? { from: `${source}:${index + 1}`, file, anchor } : []
      })
    })
}

const anchorsOf = new Map<string, Set<string>>()

function hasAnchor(page: string, anchor: string): boolean {
  let anchors = anchorsOf.get(page)
  if (!anchors) {
    const slugger = new GithubSlugger()
    const titles = linesOutsideFences(readFileSync(page, 'utf8')).flatMap(
      (line) => /^#{1,6} (.*)$/.exec(line)?.[1] ?? [],
    )
    anchors = new Set(titles.map((title) => slugger.slug(title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))))
    anchorsOf.set(page, anchors)
  }
  return anchors.has(anchor)
}

const broken = (links: readonly Link[]) =>
  links
    .filter(({ file, anchor }) => !existsSync(file) || (anchor !== undefined && !hasAnchor(file, anchor)))
    .map(({ from, file, anchor }) => `${from} → ${file}${anchor === undefined ? '' : `#${anchor}`}`)

t.test('every link in the documentation leads to an existing file and heading', async (t) => {
  const links = pages.flatMap(linksIn)
  t.ok(links.length > 100, `${links.length} links`)
  t.strictSame(broken(links), [])
})

t.test('every page and heading that a comment cites exists', async (t) => {
  const citations = sources.flatMap(citationsIn)
  t.ok(citations.length > 80, `${citations.length} citations`)
  t.strictSame(broken(citations), [])
})

t.test('no comment cites a page that is not in the repository', async (t) => {
  const foreign = sources.flatMap((source) =>
    readFileSync(source, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        /^\s*(?:\/?\*|\/\/).*\(`[a-z]+\.md`[,)]/.test(line) ? `${source}:${index + 1}` : [],
      ),
  )
  t.strictSame(foreign, [])
})

t.test('links lead from the README to every page of the documentation', async (t) => {
  const reached = new Set(['README.md'])
  for (const page of reached) {
    for (const { file } of linksIn(page)) if (file.endsWith('.md') && pages.includes(file)) reached.add(file)
  }
  t.strictSame(
    pages.filter((page) => !reached.has(page)),
    [],
  )
})

t.test('every source file that a page names exists', async (t) => {
  const named = pages
    // This page names test files relative to its own folder.
    .filter((page) => page !== 'test/README.md')
    .flatMap((page) =>
      linesOutsideFences(readFileSync(page, 'utf8')).flatMap((line, index) =>
        [...line.matchAll(/`((?:bin|core|data|server|test|scripts)\/[\w./-]+\.(?:ts|js|sql|css))`/g)].map(
          ([, file = '']) => ({ from: `${page}:${index + 1}`, file, anchor: undefined }),
        ),
      ),
    )
  t.ok(named.length > 50, `${named.length} files`)
  t.strictSame(broken(named), [])
})

t.test('code in CONTRIBUTING.md is a copy from the file named above it', async (t) => {
  let file = ''
  let isCode = false
  let shown = 0
  for (const line of readFileSync('CONTRIBUTING.md', 'utf8').split('\n')) {
    const code = line.trim()
    if (/^```/.test(code)) isCode = code === '```ts'
    else if (!isCode) file = /\]\(((?:core|server|test)\/[^)]+\.ts)\)/.exec(line)?.[1] ?? file
    else if (code !== '' && !code.includes('…')) {
      const isThere = readFileSync(file, 'utf8')
        .split('\n')
        .some((one) => one.trim() === code)
      t.ok(isThere, `${file}: ${code}`)
      shown += 1
    }
  }
  t.ok(shown > 10, `${shown} lines`)
})
