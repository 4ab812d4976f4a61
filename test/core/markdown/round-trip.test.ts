import assert from 'node:assert/strict'
import t from 'tap'
import type { PreviousVersion } from '../../../core/markdown/types.ts'
import fc from '../../support/seeded-properties.ts'
import { ada, find, grace, lovelace, presentNames, read, send, standing, textOf } from './files.ts'
import { anyFile, anyMarkdown } from './nasty-markdown.ts'

const runs = { numRuns: 200, seed: 7 }

const otherServerLines =
  'id: doc_1\nprojectId: prj_9\npublishedAt: 2026-06-18T10:00:00.000Z\neditedAt: 2027-01-01T00:00:00.000Z\n' +
  'comments: 12\nattachments: [{"id":"att_1","name":"a: b.png","size":3}]\n'

t.test('writing back a read of a file found on the disk does not change the file', async () => {
  fc.assert(
    fc.property(anyFile, (text) => {
      const before = standing(find(text))
      const again = send(read(before), { before })
      assert.deepEqual(textOf(again.stored), text)
      assert.deepEqual(again.digest, before.digest)
    }),
    runs,
  )
})

t.test('nor does writing back a read of a sent file, whatever the server’s lines say', async () => {
  fc.assert(
    fc.property(anyMarkdown, (text) => {
      const sent = send(`# A title\n\n${text}`)
      const before = standing(sent)
      const again = send(read(before, undefined, otherServerLines), { before })
      assert.deepEqual(textOf(again.stored), textOf(sent.stored))
      assert.deepEqual(again.blockIds, { rebound: 0, orphaned: 0, total: again.blockIds.total })
    }),
    runs,
  )
})

t.test('a sent file is found on the disk with the same content', async () => {
  fc.assert(
    fc.property(anyMarkdown, (text) => {
      const sent = send(`# A title\n\n${text}`)
      const found = find(sent.stored)
      assert.deepEqual(found.digest.frontmatter, sent.digest.frontmatter)
      assert.equal(found.digest.title, sent.digest.title)
      assert.equal(found.digest.titleSource, sent.digest.titleSource)
      assert.deepEqual(
        found.digest.mentions.filter(({ form }) => form === 'canonical'),
        sent.digest.mentions,
      )
      assert.equal(found.digest.blocks, sent.digest.blocks)
    }),
    runs,
  )
})

t.test('changing a read in one place changes the stored file in that place alone', async () => {
  fc.assert(
    fc.property(anyFile, (text) => {
      const before = standing(find(`${text}\n\nThe end.\n`))
      const edited = textOf(read(before)).replace(/The end\.\n$/, 'The very end.\n')
      const again = send(edited, { before })
      const { frontmatter, mentions } = before.digest
      // Dropping server keys and their fence, and bare mentions becoming canonical, are other changes.
      const isEmpty =
        frontmatter?.own.trim() === '' && !/^---\s+---/.test(textOf(before.stored).replace('\uFEFF', ''))
      fc.pre(!isEmpty && mentions.every(({ form }) => form === 'canonical'))
      const length = frontmatter?.bodyStart ?? 0
      const stored = Buffer.from(before.stored)
      const head = stored
        .subarray(0, length)
        .toString()
        .replace(/^id: x\n/m, '')
      const wanted = head + stored.subarray(length).toString().replace('The end.', 'The very end.')
      assert.equal(textOf(again.stored), wanted.replace(/^\uFEFF/, ''))
    }),
    runs,
  )
})

t.test('writing back a card whose column decides its status does not change it', async (t) => {
  for (const text of [
    '# Card\n',
    '---\nstatus: active\npriority: high\n---\n# Card\n',
    '---\npriority: high\n---\n# Card\n',
    '---\nlabels: [a]\nstatus:\n  "active" # for now\nkind: question\n---\n# Card\n\nText.\n',
  ]) {
    const before: PreviousVersion = { ...standing(find(text)), status: 'closed' }
    const shown = textOf(read(before))
    t.match(shown, /^status: closed$/m)
    t.notMatch(shown, /active/)
    t.equal(textOf(send(shown, { before }).stored), text)
    t.match(textOf(send(shown.replace('# Card', '# Card again'), { before }).stored), '# Card again')
    const edited = send(`${shown}More.\n`, { before })
    t.equal(textOf(edited.stored), `${text}More.\n`, 'the file keeps the author’s status')
  }
})

t.test(
  'a line sent back as it was read keeps its mentions, even where the name alone is ambiguous',
  async (t) => {
    const twin = { id: lovelace.id.replace('lovelace', 'otherada'), name: 'Ada' }
    const text = `# T\n\nFor @[Ada](${twin.id}).\n\nFor @[Ada](${ada.id}) too.\n\n@[Grace](${grace.id})さん。\n\nEnd.\n`
    const people = [ada, twin, grace]
    const before = standing(send(text, { people }))
    const shown = textOf(read(before, presentNames(people)))
    t.match(shown, 'For @Ada.\n\nFor @Ada too.\n\n@Graceさん。')
    const edited = send(shown.replace('End.', 'The end.'), { before, people })
    t.equal(textOf(edited.stored), text.replace('End.', 'The end.'))
  },
)

t.test(
  'however many BOMs precede a sent text, none is stored, and writing it back changes nothing',
  async (t) => {
    for (const boms of ['\uFEFF', '\uFEFF\uFEFF', '\uFEFF\uFEFF\uFEFF']) {
      const sent = send(`${boms}# T\n\nText.\n`)
      t.equal(textOf(sent.stored), '# T\n\nText.\n')
      const before = standing(sent)
      t.equal(textOf(send(`${textOf(read(before))}More.\n`, { before }).stored), '# T\n\nText.\nMore.\n')
    }
  },
)
