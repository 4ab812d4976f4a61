import fc from '../../support/seeded-properties.ts'
import { ada, grace, lovelace } from './files.ts'

// biome-ignore format: in one column nobody would read it
const pieces = [
  '---\n', '---', '--- \n', '***\n', '===\n', '# ', '# Heading\n', '#\n', '## Part\n', 'Setext\n===\n', '> ', '- ', '1. ', '* [x] ',
  '    ', '\t', '\n', '\n\n', '\r\n', '\r', ' ', '  \n', '\\', '```\n', '~~~ js\n', '`', '``', '*', '**', '_', '~~', '[', ']', '(', ')',
  '![', '](x)', '[a]: b\n', '[^1]', '[^1]: note\n', '<b>', '</b>', '<!--', '-->', '<div>\n', '&amp;', '&#64;', '|', '| a | b |\n|--|--|\n',
  '@', '@Ada', '@Ada Lovelace', '@Grace', '@here', `@[Ada](${ada.id})`, `@[Ada Lovelace](${lovelace.id})`, `@[Old name](${grace.id})`,
  '@[here](__here__)', '\\@Ada', 'ada@example.org', 'https://x.org/@Ada', 'www.x.org', 'a', 'B', 'é', 'é', '漢字', '🚀', '👩‍👩‍👧', '\uFEFF',
  '\u2028', '\u00a0', 'id: x\n', 'tags: [a, b]\n', 'title: From the fence\n', '"quoted": "x"\n', '# comment\n', 'key: |\n  block\n\n', '- item\n',
  '  - deep\n', 'a: *x\n', 'a: &x 1\n', '{a: 1}\n', '__proto__: 1\n',
]

const piece = fc.constantFrom(...pieces)

/** Markdown of pieces that are hard to parse, or of random characters. */
export const anyMarkdown: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }).map(sendable) },
)

const fence = fc
  .array(
    fc.constantFrom(
      'id: x\n',
      'tags: [a, b]\n',
      'title: From the fence\n',
      '# comment\n',
      '\n',
      'due: 2026-01-01\n',
    ),
    { maxLength: 4 },
  )
  .map((lines) => `---\n${[...new Set(lines)].join('')}---\n`)

/** Any file on a disk: with or without a BOM, frontmatter and a title. */
export const anyFile: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '', '\uFEFF'),
    fc.oneof(fc.constant(''), fence),
    fc.constantFrom('', '# Title\n', '\n# Title\n\n'),
    anyMarkdown,
  )
  .map((parts) => parts.join(''))

/** The text as UTF-8 without NUL. */
function sendable(text: string): string {
  return Buffer.from(text).toString().replaceAll('\0', '')
}
