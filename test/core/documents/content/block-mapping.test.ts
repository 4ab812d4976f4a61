import t from 'tap'
import { mapBlock, writtenBlockId } from '../../../../core/documents/content/block-mapping.ts'
import type { ParsedContent, PlainReason } from '../../../../core/markdown/index.ts'

/** The parsed content of a file with these own blocks (`id:type`); null means too many to keep. */
const digest = (blocks: string | null, plain: PlainReason | null = null): ParsedContent => ({
  title: 'Plan',
  titleSource: 'heading',
  frontmatter: null,
  mentions: [],
  blocks,
  blockNames: {},
  plain,
})

const written = (blocks: string | null, rebinding: Record<string, string | null> = {}) => ({
  digest: digest(blocks),
  rebinding,
})

t.test(
  'presence at a block follows it to its partner after a write, and ends if it has no partner',
  async (t) => {
    const change = written('ka:paragraph kc:paragraph', { kb: 'kc', kd: null })
    t.equal(mapBlock('kb', change, {}), 'kc')
    t.equal(mapBlock('kd', change, {}), null)
    t.equal(mapBlock('ka', change, {}), 'ka', 'a block that did not change')
    t.equal(mapBlock('ke', change, {}), null, 'an unknown block')
    t.equal(mapBlock('constructor', change, {}), null)
    t.equal(mapBlock('ka', written(''), {}), null)
  },
)

t.test('plain text has no blocks', async (t) => {
  t.equal(mapBlock('ka', { digest: digest(null, 'budget'), rebinding: {} }, {}), null)
})

t.test('in a file with too many blocks to keep, a block that is not among the changes stays', async (t) => {
  t.equal(mapBlock('ka', written(null, { kb: null }), {}), 'ka')
  t.equal(mapBlock('kb', written(null, { kb: 'kc' }), {}), 'kc')
  const incomplete = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, null]))
  t.equal(mapBlock('ka', written(null, incomplete), {}), null, 'the list of changes is incomplete')
})

t.test('a written block becomes its partner, whatever the case of the id', async (t) => {
  t.equal(
    writtenBlockId(
      'KB',
      digest('ka:paragraph kb:paragraph'),
      written('ka:paragraph kc:paragraph', { kb: 'kc' }),
      {},
    ),
    'kc',
  )
})

t.test('a block that changes its type becomes the block in its place', async (t) => {
  const before = digest('ka:paragraph kb:paragraph kd:list')
  t.equal(writtenBlockId('kb', before, written('ka:paragraph kc:heading kd:list', { kb: null }), {}), 'kc')
  t.equal(
    writtenBlockId('kd', before, written('ka:paragraph kb:paragraph', { kd: null }), {}),
    null,
    'no block is in its place',
  )
  t.equal(
    writtenBlockId('kb', before, written('kx:heading kd:list', { ka: null, kb: null }), {}),
    null,
    'the blocks before it changed, so its place is unknown',
  )
})

t.test('one of several equal blocks becomes the block in its place, though its id remains', async (t) => {
  const before = digest('ka:paragraph ka.2:paragraph ka.3:paragraph')
  const after = written('ka:paragraph kb:paragraph ka.2:paragraph', { 'ka.3': null })
  t.equal(writtenBlockId('ka.2', before, after, {}), 'kb')
})

t.test('a write that changes nothing keeps the block’s id', async (t) => {
  const same = 'ka:paragraph kb:paragraph'
  t.equal(writtenBlockId('kb', digest(same), written(same), {}), 'kb')
})

t.test('in a file with too many blocks to keep, only a partner is known', async (t) => {
  t.equal(writtenBlockId('ka', digest(null), written(null, { ka: 'kb' }), {}), 'kb')
  t.equal(writtenBlockId('ka', digest(null), written(null, { ka: null }), {}), null)
})
