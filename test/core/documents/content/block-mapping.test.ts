import t from 'tap'
import { mapBlock, writtenBlockId } from '../../../../core/documents/content/block-mapping.ts'
import type { ParsedContent, PlainReason } from '../../../../core/markdown/index.ts'

/** What is known of a file with these own blocks (`id:type`), or with too many to keep. */
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
  'whoever is at a block follows it to its partner, and one without a partner leaves nothing',
  async (t) => {
    const change = written('ka:paragraph kc:paragraph', { kb: 'kc', kd: null })
    t.equal(mapBlock('kb', change, {}), 'kc')
    t.equal(mapBlock('kd', change, {}), null)
    t.equal(mapBlock('ka', change, {}), 'ka', 'a block that stayed')
    t.equal(mapBlock('ke', change, {}), null, 'one that is not there, and of which nothing is told')
    t.equal(mapBlock('constructor', change, {}), null)
    t.equal(mapBlock('ka', written(''), {}), null)
  },
)

t.test('plain text has no blocks to be at', async (t) => {
  t.equal(mapBlock('ka', { digest: digest(null, 'budget'), rebinding: {} }, {}), null)
})

t.test('of a file with too many blocks to keep what changed is told, and the rest stayed', async (t) => {
  t.equal(mapBlock('ka', written(null, { kb: null }), {}), 'ka')
  t.equal(mapBlock('kb', written(null, { kb: 'kc' }), {}), 'kc')
  const told = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, null]))
  t.equal(mapBlock('ka', written(null, told), {}), null, 'where not all that changed is told')
})

t.test('a block that was written is its partner, in whatever case its id was spelled', async (t) => {
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

t.test('one that became a block of another type is what stands in its place', async (t) => {
  const before = digest('ka:paragraph kb:paragraph kd:list')
  t.equal(writtenBlockId('kb', before, written('ka:paragraph kc:heading kd:list', { kb: null }), {}), 'kc')
  t.equal(
    writtenBlockId('kd', before, written('ka:paragraph kb:paragraph', { kd: null }), {}),
    null,
    'nothing stands there',
  )
  t.equal(
    writtenBlockId('kb', before, written('kx:heading kd:list', { ka: null, kb: null }), {}),
    null,
    'the blocks before it changed as well: no place is its place',
  )
})

t.test('one of several equal ones is what stands in its place, though its id still answers', async (t) => {
  const before = digest('ka:paragraph ka.2:paragraph ka.3:paragraph')
  const after = written('ka:paragraph kb:paragraph ka.2:paragraph', { 'ka.3': null })
  t.equal(writtenBlockId('ka.2', before, after, {}), 'kb')
})

t.test('a write that changed nothing leaves the block what it is', async (t) => {
  const same = 'ka:paragraph kb:paragraph'
  t.equal(writtenBlockId('kb', digest(same), written(same), {}), 'kb')
})

t.test('of a file with too many blocks to keep only a partner is known', async (t) => {
  t.equal(writtenBlockId('ka', digest(null), written(null, { ka: 'kb' }), {}), 'kb')
  t.equal(writtenBlockId('ka', digest(null), written(null, { ka: null }), {}), null)
})
