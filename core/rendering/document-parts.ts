import { LRUCache } from 'lru-cache'
import type { Caller } from '../access/member.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { Address } from '../documents/model/types.ts'
import { displayedText, type Html, mentionedNames, type TextParts } from '../markdown/index.ts'
import type { DocumentRenderer, FoundRevision } from './document-renderer.ts'
import type { HtmlCache } from './html-cache.ts'
import type { RenderedDocument, RenderedPart } from './types.ts'

interface PartRequest {
  revision?: string | undefined
  /** From 1, the default; the last part for a number above it. */
  part?: number
}

/** Longer HTML is shown in parts. */
const maxPageLength = 256 * 1024
const partLength = 64 * 1024

const textCacheBytes = 16 * 1024 * 1024

/** Precedes a top-level block. In HTML made from markdown, `<` begins a tag and nothing else. */
const blockStart = /\n(?=<[a-z][a-z0-9]* [^<>]*data-block=")/g

/** Divides the HTML of documents within the budget; of others the text, with parts rendered on request. */
export class DocumentParts {
  private readonly shared: SharedDeps
  private readonly documents: Pick<DocumentRenderer, 'find' | 'render' | 'fill'>
  private readonly textCache = new LRUCache<string, TextParts>({
    maxSize: textCacheBytes,
    sizeCalculation: ({ requests, outline }, key) =>
      key.length + requests.reduce((total, { body }) => total + body.length, 200 * outline.length),
  })
  private readonly htmlCache: HtmlCache

  constructor(
    shared: SharedDeps,
    deps: { documents: Pick<DocumentRenderer, 'find' | 'render' | 'fill'>; cache: HtmlCache },
  ) {
    this.shared = shared
    this.documents = deps.documents
    this.htmlCache = deps.cache
  }

  /** @throws WorkspaceError as a read of the file */
  async at(caller: Caller, address: Address, { revision, part = 1 }: PartRequest): Promise<RenderedPart> {
    const found = await this.documents.find(caller, address, revision)
    const rendered = mustBeDivided(found) ? null : await this.documents.render(caller, found)
    if (rendered && (!rendered.isPlain || found.content.digest.plain !== null)) return partOf(rendered, part)
    const text = await this.divide(found)
    if (!text) return partOf(rendered ?? (await this.documents.render(caller, found)), part)
    const partNumber = Math.min(part, text.requests.length)
    return {
      ...(await this.documents.fill(caller, found, await this.renderPart(found, text, partNumber))),
      part: partNumber,
      partCount: text.requests.length,
      outline: text.outline,
      isDivided: true,
    }
  }

  /** Finds the part with an element of this id, or with the block of `at-<block>`. @throws as `at` */
  async partWith(
    caller: Caller,
    address: Address,
    { id, revision }: { id: string; revision?: string | undefined },
  ): Promise<number | null> {
    const first = await this.at(caller, address, { revision })
    const heading = first.outline.find(({ anchor }) => anchor === id)
    if (heading) return heading.part
    for (let part = 1; part <= first.partCount; part++) {
      const { html } = part === 1 ? first : await this.at(caller, address, { revision, part })
      if (html.includes(`id="${id}"`) || html.includes(`data-block="${id.replace(/^at-/, '')}"`)) return part
    }
    return null
  }

  /** Returns null if it is one part alone, or cannot be divided within the budget. */
  private async divide(found: FoundRevision): Promise<TextParts | null> {
    const key = this.keyOf(found)
    const cached = this.textCache.get(key)
    if (cached) return cached
    const { record, content } = found
    const { stored, digest } = content
    const names = this.shared.members.names()
    const displayed = displayedText({ stored, digest, title: digest.title ?? record.title, names })
    const text = await this.shared.markdown.textParts({
      ...displayed,
      origin: this.shared.pageUrl(''),
      isPlain: false,
    })
    if (!text || text.requests.length === 1) return null
    this.textCache.set(key, text)
    return text
  }

  private renderPart(found: FoundRevision, { requests, outline }: TextParts, part: number): Promise<Html> {
    return this.htmlCache.html(`${this.keyOf(found)} ${part}`, () => {
      const earlierHeadings = outline.filter((entry) => entry.part < part).map(({ text }) => text)
      return this.shared.markdown.html({ ...requests[part - 1]!, earlierHeadings })
    })
  }

  private keyOf({ record, revision, content: { digest } }: FoundRevision): string {
    const names = mentionedNames(digest.mentions, this.shared.members.names())
    return JSON.stringify([this.shared.pageUrl(''), record.id, revision, digest.title ?? record.title, names])
  }
}

const mustBeDivided = ({ content: { digest } }: FoundRevision): boolean =>
  digest.plain === 'budget' || digest.plain === 'depth'

function partOf(rendered: RenderedDocument, part: number): RenderedPart {
  const parts = divideHtml(rendered.html)
  let partIndex = 0
  const outline = rendered.outline.map((entry) => {
    const found = parts.findIndex(
      (html, index) => index >= partIndex && html.includes(`id="${entry.anchor}"`),
    )
    if (found !== -1) partIndex = found
    return { ...entry, part: partIndex + 1 }
  })
  const partNumber = Math.min(part, parts.length)
  return {
    ...rendered,
    html: parts[partNumber - 1]!,
    part: partNumber,
    partCount: parts.length,
    outline,
    isDivided: false,
  }
}

function divideHtml(html: string): string[] {
  if (html.length <= maxPageLength) return [html]
  const starts = [0]
  for (const { index } of html.matchAll(blockStart)) {
    if (index - starts.at(-1)! >= partLength) starts.push(index + 1)
  }
  return starts.map((start, index) => html.slice(start, starts[index + 1]))
}
