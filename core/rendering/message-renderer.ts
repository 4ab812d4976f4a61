import { LRUCache } from 'lru-cache'
import type { Caller } from '../access/member.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import { textWithMentionRanges } from '../markdown/canonical-mentions.ts'
import type { Html, HtmlRequest } from '../markdown/index.ts'
import type { SlotFiller } from './slot-filler.ts'
import type { MessageText } from './types.ts'

const cacheBytes = 16 * 1024 * 1024

/** Renders each message once for all readers. */
export class MessageRenderer {
  private readonly cache = new LRUCache<string, Html>({
    maxSize: cacheBytes,
    sizeCalculation: ({ parts, slots }, key) =>
      key.length + parts.reduce((total, { length }) => total + length, 200 * (slots.length + 1)),
  })
  private readonly pending = new Map<string, Promise<Html>>()

  constructor(
    private readonly deps: Pick<SharedDeps, 'markdown' | 'members' | 'pageUrl'>,
    private readonly slotFiller: SlotFiller,
  ) {}

  async html(caller: Caller, texts: readonly MessageText[]): Promise<Map<string, string>> {
    const htmls = this.htmls(texts.map(({ body }) => body))
    const filled = texts.map(
      async ({ key, projectId = null }, index): Promise<[string, string]> => [
        key,
        await this.slotFiller.fillMessage(caller, projectId, await htmls[index]!),
      ],
    )
    return new Map(await Promise.all(filled))
  }

  async links(bodies: readonly string[]): Promise<string[][]> {
    const htmls = await Promise.all(this.htmls(bodies))
    return htmls.map(({ links = [] }) => links)
  }

  private htmls(bodies: readonly string[]): (Html | Promise<Html>)[] {
    const origin = this.deps.pageUrl('')
    const names = this.deps.members.names()
    const displayed = bodies.map((body) => textWithMentionRanges(body, names))
    const keys = displayed.map(({ text, mentions }) => JSON.stringify([origin, text, mentions]))
    const requests = new Map<string, HtmlRequest>()
    for (const [index, key] of keys.entries()) {
      if (this.cache.has(key) || this.pending.has(key) || requests.has(key)) continue
      const { text, mentions } = displayed[index]!
      requests.set(key, { body: Buffer.from(text), mentions, origin, isPlain: false, isMessage: true })
    }
    if (requests.size > 0) this.render(requests)
    return keys.map((key) => this.cache.get(key) ?? this.pending.get(key)!)
  }

  private render(requests: Map<string, HtmlRequest>): void {
    const rendering = this.deps.markdown.htmls([...requests.values()])
    for (const [index, key] of [...requests.keys()].entries()) {
      const html = rendering
        .then((htmls) => {
          this.cache.set(key, htmls[index]!)
          return htmls[index]!
        })
        .finally(() => this.pending.delete(key))
      this.pending.set(key, html)
    }
  }
}
