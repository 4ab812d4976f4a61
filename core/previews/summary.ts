import { setImmediate } from 'node:timers/promises'
import type { Parser } from 'htmlparser2'
import type { PageSummary } from '../../data/tables/link-previews.ts'

const maxLength = { title: 200, description: 500, imageUrl: 2000 }

const sliceLength = 64 * 1024

/** No real head is deeper. The parser is slow with many open tags. */
const maxDepth = 32

const sources = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  imageUrl: ['og:image', 'og:image:url', 'og:image:secure_url', 'twitter:image', 'twitter:image:src'],
}

/** Plain text, one line each, `''` if missing. `url` is the page's, to which its image's may be relative. */
export async function summaryOf(html: string, url: string): Promise<PageSummary> {
  const { title, metas } = await readHead(html)
  const firstOf = (names: string[]) => names.map((name) => oneLine(metas.get(name) ?? '')).find(Boolean) ?? ''
  return {
    title: truncate(firstOf(sources.title) || oneLine(title), maxLength.title),
    description: truncate(firstOf(sources.description), maxLength.description),
    imageUrl: imageUrlOf(firstOf(sources.imageUrl), url),
  }
}

interface Head {
  title: string
  metas: Map<string, string>
}

async function readHead(html: string): Promise<Head> {
  // Imported when needed: only publishing links uses it.
  const { Parser: HtmlParser } = await import('htmlparser2')
  const reader = new HeadReader(HtmlParser)
  for (let at = 0; at < html.length && !reader.isDone; at += sliceLength) {
    if (at > 0) await setImmediate()
    reader.read(html.slice(at, at + sliceLength))
  }
  return reader
}

class HeadReader implements Head {
  title = ''
  readonly metas = new Map<string, string>()
  isDone = false
  private isInTitle = false
  private depth = 0
  private readonly parser: Parser

  constructor(HtmlParser: typeof Parser) {
    this.parser = new HtmlParser({
      onopentag: (name, attributes) => this.open(name, attributes),
      ontext: (text) => {
        if (this.isInTitle) this.title += text
      },
      onclosetag: (name) => this.close(name),
    })
  }

  read(slice: string): void {
    this.parser.write(slice)
  }

  private open(name: string, { name: metaName, property = metaName, content }: Record<string, string>): void {
    this.depth += 1
    if (name === 'body' || this.depth > maxDepth) this.finish()
    else if (name === 'title') this.isInTitle = this.title === ''
    else if (name === 'meta' && property !== undefined && content !== undefined) {
      const key = property.trim().toLowerCase()
      if (!this.metas.has(key)) this.metas.set(key, content)
    }
  }

  private close(name: string): void {
    this.depth -= 1
    if (name === 'title') this.isInTitle = false
    if (name === 'head') this.finish()
  }

  private finish(): void {
    this.isDone = true
    this.parser.pause()
  }
}

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

function truncate(text: string, length: number): string {
  const characters = [...text.slice(0, 2 * length + 2)]
  return characters.length > length
    ? `${characters
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
    : text
}

function imageUrlOf(source: string, url: string): string {
  if (source === '' || !URL.canParse(source, url)) return ''
  const { href, protocol } = new URL(source, url)
  return /^https?:$/.test(protocol) && href.length <= maxLength.imageUrl ? href : ''
}
