import assert from 'node:assert/strict'
import { Parser } from 'htmlparser2'
import t from 'tap'
import type { Caller } from '../../../core/access/member.ts'
import type { LinkView } from '../../../core/links/types.ts'
import { renderHtml } from '../../../core/markdown/html/render-html.ts'
import { SlotFiller } from '../../../core/rendering/slot-filler.ts'
import fc from '../../support/seeded-properties.ts'
import { ada } from '../markdown/files.ts'
import { anyMarkdown } from '../markdown/nasty-markdown.ts'

const me = {} as Caller

t.test(
  'whatever texts and names contain, the HTML runs no script and loads nothing from elsewhere',
  async () => {
    // biome-ignore format: in one column nobody would read it
    const hostile = fc.constantFrom(
    '[[', ']]', '![[', '[[a]]', '![[a.png]]', '[[#a]]', '[a](', '![a](', '<', '>', ')', '"', "'", ' "t")', 'javascript:alert(1)', '/x/..//evil.org',
    '//evil.org', 'https://x.org', 'a.png', '../a.md', '/v1/fs/projects/p/docs', '<svg onload=x>', '<img src=x onerror=x>', '<a data-slot="0">', '§',
    '<a data-slot="0" dir="auto">', 'data:text/html,x', '&lt;', '&quot;', '```html\n', '\n```\n', '[x]: javascript:a\n', '[x]', '\u202E', '[^1]', '\n\n',
  )
    const markdown = fc.oneof(
      anyMarkdown,
      fc.array(fc.oneof(hostile, anyMarkdown), { maxLength: 12 }).map((parts) => parts.join('')),
    )
    const name = fc.oneof(hostile, fc.string({ maxLength: 8 }))
    const property = fc.asyncProperty(markdown, name, fc.boolean(), async (text, called, isThere) => {
      const request = { body: Buffer.from(text), mentions: mentionsIn(text), origin: '', isPlain: false }
      const filling = fillingWith(called, isThere)
      requireHarmless(await filling.fill(me, {} as never, renderHtml(request, true)))
      const said = renderHtml({ ...request, isMessage: true }, true)
      requireHarmless(await filling.fillMessage(me, isThere ? 'prj_1' : null, said), { mayHaveIds: false })
    })
    await fc.assert(property, { numRuns: 300, seed: 7 })
  },
)

function mentionsIn(text: string) {
  return [...text.matchAll(/@Ada/g)].map(({ index }) => {
    const start = Buffer.byteLength(text.slice(0, index))
    return { start, end: start + 4, id: ada.id }
  })
}

/** Fills slots as if every target existed with this name, or none did. */
function fillingWith(name: string, isThere: boolean): SlotFiller {
  const view = (token: string): LinkView => ({
    token,
    type: isThere ? 'document' : null,
    id: isThere ? 'doc_1' : null,
    title: isThere ? name : null,
    path: isThere ? '/v1/fs/x' : null,
    url: isThere ? 'http://127.0.0.1/projects/x' : null,
    anchor: name || null,
    label: name || null,
    isEmbed: token.startsWith('!'),
    isDead: !isThere,
  })
  const file = () =>
    isThere ? null : { href: '/download/x/y', name, isPicture: name.length % 2 === 0, size: () => null }
  const links = { resolve: async (_: unknown, __: unknown, tokens: readonly string[]) => tokens.map(view) }
  return new SlotFiller(links, { find: file, byName: file } as never)
}

const allowed: Record<string, readonly string[]> = {
  '*': ['id', 'dir', 'data-block', 'class', 'title', 'aria-label', 'tabindex'],
  a: [
    'href',
    'rel',
    'data-type',
    'data-member',
    'data-footnote-ref',
    'data-footnote-backref',
    'aria-describedby',
  ],
  img: ['src', 'alt', 'loading', 'decoding'],
  input: ['type', 'checked', 'disabled'],
  div: ['role'],
  ol: ['start'],
  span: ['data-member'],
  section: ['data-footnotes'],
  td: ['align'],
  th: ['align'],
}

const tags =
  /^(?:h[1-6]|p|blockquote|ul|ol|li|pre|code|hr|br|em|strong|del|sup|a|img|input|div|section|span|bdi|table|thead|tbody|tr|th|td)$/

/** Requires known elements, attributes and schemes alone, each element closed, and each id once. */
function requireHarmless(html: string, { mayHaveIds } = { mayHaveIds: true }): void {
  const open: string[] = []
  const ids = new Set<string>()
  const parser = new Parser({
    onopentag(tag, attributes, isImplied) {
      assert.match(tag, tags)
      assert.ok(!isImplied && !(tag === 'a' && open.includes('a')), html)
      open.push(tag)
      for (const [attribute, value] of Object.entries(attributes)) {
        assert.ok([...allowed['*']!, ...(allowed[tag] ?? [])].includes(attribute), `${tag} ${attribute}`)
        if (attribute === 'href') assert.match(value, /^(?:https?:\/\/|mailto:|\/(?![/\\])|#)/)
        if (attribute === 'src') assert.match(value, /^\/download\//)
        if (attribute === 'id') assert.ok(mayHaveIds && !ids.has(value) && ids.add(value), value)
      }
    },
    onclosetag(tag, isImplied) {
      assert.equal(open.pop(), tag)
      assert.ok(!isImplied || /^(?:hr|br|img|input)$/.test(tag), html)
    },
    oncomment: () => assert.fail(html),
    onprocessinginstruction: () => assert.fail(html),
  })
  parser.end(html)
  assert.deepEqual(open, [])
}
