import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, clock, home, owner } = workroom
const project = '/v1/fs/projects/general'

const put = (path: string, body: string, key = owner.key) => request('PUT', path, { body, key })
const get = async (path: string) => (await request('GET', path)).text
const onDisk = (path: string) => readFileSync(join(home, 'projects/general', path), 'utf8')

const fenceOf = (text: string) => /^---\n([\s\S]*?)\n---\n/.exec(text)![1]!
const keysOf = (text: string) => [...fenceOf(text).matchAll(/^([\w-]+):/gm)].map(([, key]) => key)

t.test('a read is a fence, the fields in the table’s order, and directly below it the title', async (t) => {
  const { json } = await put(`${project}/docs/order.md`, '# Order\n\nText.\n')
  const text = await get(json.path)
  t.strictSame(keysOf(text), [
    'id',
    'project',
    'projectId',
    'author',
    'authorId',
    'authorType',
    'publishedAt',
    'comments',
  ])
  t.match(text, /\n---\n# Order\n\nText\.\n$/)
  t.match(parse(fenceOf(text)), {
    id: json.id,
    project: 'general',
    projectId: /^prj_/,
    author: 'Ada',
    authorId: owner.member.id,
    authorType: 'human',
    publishedAt: new Date(clock.now()).toISOString(),
    comments: 0,
  })
})

t.test('editedAt, mentions and the author’s own keys are in the places that the table says', async (t) => {
  const path = `${project}/docs/all.md`
  await put(path, '---\nzeta: 1\nalpha: 2\n---\n# All\n')
  clock.advance(60_000)
  await put(path, '---\nzeta: 1\nalpha: 2\n---\n# All\n\n@Ada\n')
  const text = await get(path)
  t.strictSame(keysOf(text), [
    'id',
    'project',
    'projectId',
    'author',
    'authorId',
    'authorType',
    'publishedAt',
    'editedAt',
    'comments',
    'mentions',
    'zeta',
    'alpha',
  ])
  const { publishedAt, editedAt } = parse(fenceOf(text))
  t.equal(editedAt, new Date(clock.now()).toISOString())
  t.equal(Date.parse(editedAt) - Date.parse(publishedAt), 60_000)
})

t.test(
  'a file written by an agent says so, and a member who edits it later does not become its author',
  async (t) => {
    const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
    const path = `${project}/docs/by-a-bot.md`
    await put(path, '# By a bot\n', bot.key)
    await put(path, '# By a bot\n\nEdited by Ada.\n')
    t.match(parse(fenceOf(await get(path))), { author: 'Bot', authorId: bot.member.id, authorType: 'agent' })
  },
)

t.test('server keys in a body have no effect and are not stored', async (t) => {
  const fields = [
    'id: doc_00000000000000000000000000',
    'project: other',
    'projectId: prj_1',
    'author: Mallory',
    'authorId: mem_1',
    'authorType: agent',
    'publishedAt: 2001-01-01T00:00:00Z',
    'editedAt: 2001-01-01T00:00:00Z',
    'isPinned: true',
    'comments: 99',
    'mentions:\n  - Mallory\n  - Eve',
    'attachments: [{"id":"att_1"}]',
    'number: 9',
    'columnId: 04-done',
    'lastActivityAt: 2001-01-01T00:00:00Z',
    'mine: kept',
  ]
  const { json } = await put(`${project}/docs/forged.md`, `---\n${fields.join('\n')}\n---\n# Forged\n`)
  t.equal(onDisk('documents/forged.md'), '---\nmine: kept\n---\n# Forged\n')
  const read = parse(fenceOf(await get(json.path)))
  t.match(read, { id: json.id, author: 'Ada', comments: 0, mine: 'kept' })
  t.notOk('isPinned' in read || 'attachments' in read || 'mentions' in read || 'number' in read)
})

t.test('the author’s keys are kept in order, with comments, quotes and blank lines', async (t) => {
  const own = [
    '# about this file',
    'tags: [b, "a"]   # unsorted on purpose',
    '',
    "aliases:\n  - 'one'\n  - two",
    'nested:\n  deep: {x: 1}',
    'text: |\n  line\n\n  line',
    'date: 2026-01-02',
    '__proto__: fine',
  ].join('\n')
  const path = `${project}/docs/keys.md`
  t.equal((await put(path, `---\n${own}\n---\n# Keys\n`)).status, 201)
  const read = await get(path)
  t.ok(read.includes(`\n${own}\n---\n# Keys\n`), 'shown as written, below the server’s')
  t.equal((await put(path, read)).json.changed, false)
  await put(path, `${read}\nMore.\n`)
  t.equal(onDisk('documents/keys.md'), `---\n${own}\n---\n# Keys\n\nMore.\n`)
})

t.test('names and slugs that YAML would read as another type stay texts', async (t) => {
  const path = `${project}/docs/yaml.md`
  for (const name of ['yes', '12', 'null', '# hash', 'a: b', "it's", '"quoted"', '- dash', 'Ünï 漢字']) {
    const member = await workroom.addMember({ name, type: 'human' }, 'general')
    const { json } = await put(
      path.replace('yaml', `yaml-${member.member.id}`),
      `# By ${member.member.id}\n\n@${name}\n`,
      member.key,
    )
    const read = parse(fenceOf(await get(json.path)))
    t.strictSame([read.author, read.mentions ?? [name]], [name, [name]])
  }
})

t.test('frontmatter with YAML that expands, repeats or executes is 422, and the line is named', async (t) => {
  for (const fields of [
    'a: &x 1\nb: *x',
    'base: &b {k: 1}\n<<: *b',
    'a: !!js/function "x"',
    'a: 1\na: 2',
    'a: [1',
    '{a: 1}',
    'a:\n'.concat(...Array.from({ length: 40 }, (_, n) => `${' '.repeat(n + 1)}a:\n`)),
  ]) {
    const { status, json } = await put(`${project}/docs/bad-yaml.md`, `---\n${fields}\n---\n# Bad\n`)
    t.match([status, json.error], [422, 'unprocessable'], fields.slice(0, 40))
    t.match(json.message, /frontmatter/)
  }
  t.equal((await request('GET', `${project}/docs/bad-yaml.md`)).status, 404)
})

t.test('a fence without a map in it is text like any other', async (t) => {
  for (const body of [
    '---\n- a\n- b\n---\n# List\n',
    '---\njust words\n---\n# Words\n',
    '---\n# No end of fence\n',
  ]) {
    const { status, json } = await put(`${project}/docs/text.md`, body)
    t.equal(status, 201, body)
    t.ok((await get(json.path)).endsWith(body))
    t.equal((await put(json.path, await get(json.path))).json.changed, false)
  }
})

t.test('a card has its number, column and last activity after the fields of the table', async (t) => {
  const { json } = await put(`${project}/board/02-todo/a.md`, '---\nlabels: [x]\n---\n# A card\n')
  const text = await get(json.path)
  t.strictSame(keysOf(text).slice(-5), ['comments', 'number', 'columnId', 'lastActivityAt', 'labels'])
  t.match(parse(fenceOf(text)), {
    number: 1,
    columnId: '02-todo',
    lastActivityAt: new Date(clock.now()).toISOString(),
  })
})
