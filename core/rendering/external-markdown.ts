import type { SharedDeps } from '../documents/deps/deps.ts'
import type { SlotFiller } from './slot-filler.ts'
import type { PageOfPath } from './types.ts'

/** Renders markdown from elsewhere, such as a code repository, without mentions and `[[…]]` links. */
export class ExternalMarkdown {
  constructor(
    private readonly deps: Pick<SharedDeps, 'markdown' | 'pageUrl'>,
    private readonly slotFiller: SlotFiller,
  ) {}

  async html(body: Uint8Array, pageOf: PageOfPath): Promise<string> {
    const { markdown, pageUrl } = this.deps
    const request = { body: withoutFrontmatter(body), mentions: [], origin: pageUrl(''), isPlain: false }
    return shiftHeadings(this.slotFiller.fillExternal(await markdown.html(request), pageOf))
  }
}

function withoutFrontmatter(body: Uint8Array): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString()
  return Buffer.from(text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, ''))
}

/** Headings below the page's. In rendered HTML a `<` always begins a tag. */
const shiftHeadings = (html: string): string =>
  html.replace(/(<\/?h)([1-5])\b/g, (_, tag: string, depth: string) => tag + String(Number(depth) + 1))
