import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromMarkdown, type Options } from 'mdast-util-from-markdown'
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { frontmatter } from 'micromark-extension-frontmatter'
import { gfm } from 'micromark-extension-gfm'
import t from 'tap'
import fc, { runParameters } from '../../support/seeded-properties.ts'
import { anyFile, anyMarkdown } from './nasty-markdown.ts'

type Package = Pick<typeof import('mdast-util-from-markdown'), 'fromMarkdown'>

// Typed as a string, so that the build does not bundle and patch this import.
const name: string = 'mdast-util-from-markdown'
const asPublished: Package = await import(name)

const options: Options = {
  extensions: [gfm(), frontmatter(['yaml'])],
  mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown(['yaml'])],
}

function assertSameTree(text: string): void {
  assert.deepEqual(fromMarkdown(text, options), asPublished.fromMarkdown(text, options))
  assert.deepEqual(fromMarkdown(text), asPublished.fromMarkdown(text))
}

function contextsOf(parse: Package['fromMarkdown']): number {
  const seen = new Set<unknown>()
  parse('# A\n\nB *c*.\n', {
    mdastExtensions: [
      {
        enter: {
          paragraph(token) {
            seen.add(this)
            this.enter({ type: 'paragraph', children: [] }, token)
          },
          emphasis(token) {
            seen.add(this)
            this.enter({ type: 'emphasis', children: [] }, token)
          },
        },
      },
    ],
  })
  return seen.size
}

t.test('handlers of the patched package share one context, those of the published do not', async (t) => {
  t.strictSame([contextsOf(fromMarkdown), contextsOf(asPublished.fromMarkdown)], [1, 2])
})

t.test('the patched package parses files as the published one does', async (t) => {
  const vectors: { markdown: string }[] = JSON.parse(readFileSync('fixtures/blocks.json', 'utf8'))
  const files = ['fixtures', 'docs', 'node_modules'].flatMap(markdownBelow)
  t.ok(files.length > 40 && vectors.length > 20)
  for (const { markdown } of vectors) assertSameTree(markdown)
  for (const file of files) assertSameTree(readFileSync(file, 'utf8'))
})

/** One of 12 files, so that the test takes only seconds. */
function markdownBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /\.md$/i.test(name) && !name.includes('.cache'))
    .sort()
    .filter((_, place) => place % 12 === 0)
    .map((name) => join(folder, name))
}

t.test('the patched package parses any markdown as the published one does', async () => {
  fc.assert(fc.property(fc.oneof(anyFile, anyMarkdown), assertSameTree), runParameters(250, 17))
})
