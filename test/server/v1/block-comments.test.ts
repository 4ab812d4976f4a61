import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { CommentView } from '../../../core/comments/types.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { home, owner, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const tree = '/v1/fs/projects/general'

const put = (path: string, body: string) => request('PUT', `${tree}/${path}`, { body })
async function blockOf(path: string, words: string): Promise<string> {
  const { json } = await request('GET', `${tree}/${path}?view=blocks`)
  return json.blocks.find(({ text }: { text: string }) => text.includes(words)).id
}
const post = (list: string, body: unknown, key = owner.key) => request('POST', list, { body, key })
const list = async (path: string): Promise<CommentView[]> => (await request('GET', path)).json.comments

t.test('a comment on a block follows the block through edits, and says when it is gone', async (t) => {
  for (const [path, noun] of [
    ['docs/tides.md', 'documents'],
    ['board/02-todo/tides.md', 'documents'],
    ['posts/tides.md', 'posts'],
  ] as const) {
    const { id, path: written } = (
      await put(path, '# Tides\n\nHigh **water** at six.\n\n- low\n- lower\n\nThe end.\n')
    ).json
    const name = written.slice(tree.length + 1)
    const comments = `/v1/${noun}/${id}/comments`
    const block = await blockOf(name, 'at six')
    const { status, json } = await post(
      comments,
      { body: 'At seven?', block: block.toUpperCase() },
      grace.key,
    )
    t.equal(status, 201)
    t.match(json.comment, { block, quote: 'High water at six.' })
    t.notOk('blockRemoved' in json.comment)
    const reply = (await post(comments, { body: 'Yes.', parentId: json.comment._id })).json.comment
    t.notOk('block' in reply, 'a reply has no block of its own')
    t.equal((await post(comments, { body: 'x', parentId: json.comment._id, block })).status, 400)
    if (noun === 'posts') continue
    const change = (from: string, to: string) => {
      const file = join(home, 'projects/general', name.replace('library/', ''))
      writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
    }
    const first = async () => (await list(comments))[0]!
    change('# Tides\n\n', '# Tides\n\nA word before.\n\n')
    t.match(await first(), { block }, 'a change around it does not matter')
    await request('PUT', `${tree}/${name}?block=${block}`, { body: 'High water at seven.' })
    const edited = await first()
    t.equal(edited.block, await blockOf(name, 'at seven'), 'it follows its block')
    t.not(edited.block, block)
    t.notOk(edited.blockRemoved)
    t.equal(edited.quote, 'High water at six.', 'the quote stays the same')
    const { revision } = (await request('GET', `${tree}/${name}/_revisions`)).json.revisions[0]
    change('High water at seven.\n\n', '')
    t.match(await first(), { block: edited.block, blockRemoved: true, quote: 'High water at six.' })
    await post(`${tree}/${name}/_restore`, { revision })
    t.match(await first(), { block: edited.block })
    t.notOk((await first()).blockRemoved, 'it is on its block again')
  }
})

t.test('an unknown block is refused with the current blocks', async (t) => {
  const { id } = (await put('docs/lamps.md', '# Lamps\n\nNorth.\n\nSouth.\n')).json
  const comments = `/v1/documents/${id}/comments`
  const stale = await post(comments, { body: 'x', block: 'k0000000' })
  t.equal(stale.status, 409)
  t.equal(stale.json.block, 'k0000000')
  t.match(
    stale.json.blocks.map(({ preview }: { preview: string }) => preview),
    ['---', '# Lamps', 'North.', 'South.'].map((words) => new RegExp(words)),
  )
  t.equal((await post(comments, { body: 'x', block: await blockOf('docs/lamps.md', '# Lamps') })).status, 400)
  t.equal((await post(comments, { body: 'x', block: 7 })).status, 400)
  t.strictSame(await list(comments), [])
})
