import assert from 'node:assert/strict'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { frontmatter } from 'micromark-extension-frontmatter'
import { gfm } from 'micromark-extension-gfm'
import t from 'tap'
import { parseFile } from '../../../core/markdown/parse.ts'
import fc, { runParameters } from '../../support/seeded-properties.ts'
import { anyFile, anyMarkdown } from './nasty-markdown.ts'

const byTheBook = (text: string) =>
  fromMarkdown(text, {
    extensions: [gfm(), frontmatter(['yaml'])],
    mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown(['yaml'])],
  }).children

/** Pieces that can be part of an address in plain text, or hide one. */
const addressPiece = fc.constantFrom(
  ...[
    'http://x.org',
    'HTTPS://x.org',
    'www',
    'WWW',
    '.',
    'http',
    'Https',
    ':',
    '//',
    'x.org',
    '@',
    '&#64;',
    '&#119;',
    '&amp;',
    '&commat;',
    '\\',
    'w',
    'a',
    ' ',
    '\n',
  ],
  ...['*', '[', ']', '(', ')', '<', '>', '`', '|', '~', '_', '-', '+'],
)
const addresses = fc.array(addressPiece, { maxLength: 12 }).map((pieces) => pieces.join(''))

t.test(
  'every file is parsed as GFM with YAML frontmatter, whether or not it contains any addresses',
  async () => {
    fc.assert(
      fc.property(fc.oneof(anyFile, anyMarkdown, addresses), (text) => {
        assert.deepEqual(parseFile(text).nodes, byTheBook(text))
      }),
      runParameters(150, 11),
    )
  },
)

t.test('skipping the search for emails where there can be none changes nothing', async () => {
  const withoutAt = fc
    .oneof({ arbitrary: addresses, weight: 3 }, anyMarkdown)
    .map((text) => text.replaceAll('@', ''))
  fc.assert(
    fc.property(withoutAt, (text) => {
      assert.deepEqual(parseFile(text).nodes, byTheBook(text))
    }),
    runParameters(200, 13),
  )
})

const tablePiece = fc.constantFrom(
  ...[
    '|',
    ':',
    '-',
    '--',
    ':-',
    '-:',
    ':-:',
    '- ',
    '\n',
    '\n',
    ' ',
    'a',
    'b c',
    '\\',
    '> ',
    '1. ',
    '    ',
    '\t',
    '`',
    '&#124;',
  ],
)
const tables = fc.array(tablePiece, { maxLength: 16 }).map((pieces) => pieces.join(''))

t.test('skipping the search for tables where there can be none changes nothing', async () => {
  fc.assert(
    fc.property(
      fc.oneof(
        tables,
        anyMarkdown.map((text) => text.replaceAll('|', '')),
      ),
      (text) => {
        assert.deepEqual(parseFile(text).nodes, byTheBook(text))
      },
    ),
    runParameters(500, 17),
  )
})

t.test('skipping the search for addresses where there can be none changes nothing', async () => {
  const plain = fc.oneof(anyFile, anyMarkdown).map((text) => text.replace(/[@&]|www|http/gi, ''))
  fc.assert(
    fc.property(plain, (text) => {
      assert.deepEqual(parseFile(text).nodes, byTheBook(text))
    }),
    runParameters(150, 12),
  )
})
