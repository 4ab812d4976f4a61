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
  private readonly deps: Pick<SharedDeps, 'markdown' | 'members' | 'pageUrl'>
  private readonly filling: SlotFiller
  private readonly kept = new LRUCache<string, Html>({
    maxSize: cacheBytes,
    sizeCalculation: ({ parts, slots }, key) =>
      key.length + parts.reduce((total, { length }) => total + length, 200 * (slots.length + 1)),
  })
  private readonly underway = new Map<string, Promise<Html>>()

  constructor(deps: Pick<SharedDeps, 'markdown' | 'members' | 'pageUrl'>, filling: SlotFiller) {
    this.deps = deps
    this.filling = filling
  }

  async html(caller: Caller, texts: readonly MessageText[]): Promise<Map<string, string>> {
    const htmls = this.htmls(texts.map(({ body }) => body))
    const filled = texts.map(
      async ({ key, projectId = null }, place): Promise<[string, string]> => [
        key,
        await this.filling.fillMessage(caller, projectId, await htmls[place]!),
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
    const shown = bodies.map((body) => textWithMentionRanges(body, names))
    const keys = shown.map(({ text, mentions }) => JSON.stringify([origin, text, mentions]))
    const wanted = new Map<string, HtmlRequest>()
    for (const [place, key] of keys.entries()) {
      if (this.kept.has(key) || this.underway.has(key) || wanted.has(key)) continue
      const { text, mentions } = shown[place]!
      wanted.set(key, { body: Buffer.from(text), mentions, origin, isPlain: false, isSaid: true })
    }
    if (wanted.size > 0) this.render(wanted)
    return keys.map((key) => this.kept.get(key) ?? this.underway.get(key)!)
  }

  private render(wanted: Map<string, HtmlRequest>): void {
    const rendering = this.deps.markdown.htmls([...wanted.values()])
    for (const [place, key] of [...wanted.keys()].entries()) {
      const html = rendering
        .then((htmls) => {
          this.kept.set(key, htmls[place]!)
          return htmls[place]!
        })
        .finally(() => this.underway.delete(key))
      this.underway.set(key, html)
    }
  }
}
