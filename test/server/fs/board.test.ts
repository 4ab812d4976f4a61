import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, clock, home } = workroom

interface CardRow {
  number: number
  title: string
  status: string
  path: string
}

/** Creates a project for one test. @returns its path in the tree, and the folder of its board on the disk */
async function newBoard(name: string): Promise<{ board: string; folder: string }> {
  const { slug } = (await request('POST', '/v1/fs/projects', { body: { name } })).json
  return { board: `/v1/fs/projects/${slug}/board`, folder: join(home, 'projects', slug, 'board') }
}

const put = (path: string, body: string) => request('PUT', path, { body })
const move = (path: string, body: object) => request('POST', `${path}/_move`, { body })
const cardsIn = async (column: string): Promise<CardRow[]> => (await request('GET', column)).json.cards
const titlesIn = async (column: string) => (await cardsIn(column)).map(({ title }) => title)

t.test('the board has four columns with their counts', async (t) => {
  const { board } = await newBoard('Columns')
  await put(`${board}/02-todo/a.md`, '# A\n')
  t.strictSame((await request('GET', board)).json, {
    project: 'columns',
    columns: [
      { name: '01-triage', title: 'Triage', count: 0, path: `${board}/01-triage` },
      { name: '02-todo', title: 'To do', count: 1, path: `${board}/02-todo` },
      { name: '03-in-progress', title: 'In progress', count: 0, path: `${board}/03-in-progress` },
      { name: '04-done', title: 'Done', count: 0, path: `${board}/04-done` },
    ],
  })
})

t.test('a column is recognized in every spelling, and any other is 400 with a list of four', async (t) => {
  const { board } = await newBoard('Spellings')
  const spellings = {
    '01-triage': ['01-triage', 'triage', 'Triage'],
    '02-todo': ['02-todo', 'todo', 'To%20do', 'to-do', 'TODO'],
    '03-in-progress': ['03-in-progress', 'in-progress', 'In%20progress'],
    '04-done': ['04-done', 'done', 'Done'],
  }
  for (const [column, names] of Object.entries(spellings)) {
    for (const name of names) {
      const { json } = await put(`${board}/${name}/x.md`, `# ${column} ${name}\n`)
      t.match(json.path, `${board}/${column}/`, name)
      t.equal((await request('GET', `${board}/${name}`)).json.column, column, name)
    }
  }
  for (const name of ['05-later', 'doing', '02', '%20', 'todo-02']) {
    for (const [method, path] of [
      ['GET', name],
      ['GET', `${name}/1`],
      ['PUT', `${name}/x.md`],
      ['DELETE', `${name}/1`],
    ] as const) {
      const { status, json } = await request(method, `${board}/${path}`, {
        body: method === 'PUT' ? '# X\n' : '',
      })
      t.equal(status, 400, `${method} ${path}`)
      t.match(json, { error: 'bad_request', message: /01-triage, 02-todo, 03-in-progress, 04-done/ })
    }
  }
})

t.test('a new card gets the project’s next number, which is never reused', async (t) => {
  const { board } = await newBoard('Numbers')
  const first = (await put(`${board}/todo/one.md`, '# One\n')).json
  const second = (await put(`${board}/triage/two.md`, '# Two\n')).json
  t.strictSame([first.filename, second.filename], ['0001-one.md', '0002-two.md'])
  await request('DELETE', second.path)
  t.equal((await put(`${board}/todo/three.md`, '# Three\n')).json.filename, '0003-three.md')
  const many = await Promise.all(
    Array.from({ length: 6 }, (_, n) => put(`${board}/todo/many-${n}.md`, `# Many ${n}\n`)),
  )
  t.strictSame(
    many.map(({ json }) => Number(json.filename.slice(0, 4))).sort(),
    [4, 5, 6, 7, 8, 9],
    'also at the same time',
  )
})

t.test('a row shows the fields of the card', async (t) => {
  const { board } = await newBoard('Rows')
  const fields = [
    'status: drafted',
    'priority: high',
    'labels: [ui, bug]',
    'assignees: [Ada]',
    'blocked-by: [1]',
    'due: 2026-12-24',
    'kind: question',
    'resolution: Yes',
  ]
  const { json } = await put(`${board}/todo/x.md`, `---\n${fields.join('\n')}\n---\n# Row\n`)
  t.strictSame(await cardsIn(`${board}/todo`), [
    {
      filename: '0001-row.md',
      id: json.id,
      number: 1,
      title: 'Row',
      status: 'drafted',
      priority: 'high',
      labels: ['ui', 'bug'],
      assignees: ['Ada'],
      lastActivityAt: clock.now(),
      path: json.path,
      url: json.url,
    },
  ])
  await put(`${board}/todo/y.md`, '# Plain\n')
  t.match((await cardsIn(`${board}/todo`))[1], {
    status: 'active',
    priority: 'none',
    labels: [],
    assignees: [],
  })
})

t.test('an invalid value is 422 and names its key, and nothing is written', async (t) => {
  const { board } = await newBoard('Bad values')
  for (const [key, values] of Object.entries({
    status: ['open', 'Active', '1', '[active]'],
    priority: ['highest', '3'],
    kind: ['task'],
    labels: ['ui', '[1]', '[""]', '{a: 1}'],
    assignees: ['Ada', '[Nobody]', '[ada]', '[1]'],
    'blocked-by': ['1', '[one]', '[0]', '[-1]', '[1.5]'],
    resolution: ['[x]', '""'],
    due: ['soon', '2026-13-01', '20261224', '2026-02-30'],
    column: ['later', '[done]', '7'],
  })) {
    for (const value of values) {
      const { status, json } = await put(`${board}/todo/bad.md`, `---\n${key}: ${value}\n---\n# Bad\n`)
      t.match([status, json], [422, { error: 'unprocessable' }], `${key}: ${value}`)
      t.match(json.message, key)
    }
  }
  t.strictSame(await cardsIn(`${board}/todo`), [])
  t.equal(
    (await put(`${board}/todo/good.md`, '---\nstatus:\nlabels: []\ndue: null\n---\n# Good\n')).status,
    201,
  )
})

t.test('_move puts a card and its file into another column, with the same bytes', async (t) => {
  const { board, folder } = await newBoard('Moves')
  const body = '---\nlabels: [a]  # mine\n---\n# Moved\n\nText.'
  const { json } = await put(`${board}/todo/x.md`, body)
  clock.advance(1000)
  const moved = await move(json.path, { toColumn: 'In progress' })
  t.strictSame(
    [moved.status, moved.json],
    [
      200,
      {
        id: json.id,
        number: 1,
        filename: '0001-moved.md',
        path: `${board}/03-in-progress/0001-moved.md`,
        url: json.url,
        column: '03-in-progress',
        moved: true,
      },
    ],
  )
  t.notOk(existsSync(join(folder, '02-todo/0001-moved.md')))
  t.equal(readFileSync(join(folder, '03-in-progress/0001-moved.md'), 'utf8'), body)
  t.equal((await move(moved.json.path, { toColumn: '03-in-progress' })).json.moved, false)
  t.equal((await request('GET', `${moved.json.path}/_revisions`)).json.revisions.length, 1)
  t.equal((await move(`${board}/todo/99`, { toColumn: 'done' })).status, 404)
})

t.test('a card is read only in its own column, and the answer contains its path', async (t) => {
  const { board } = await newBoard('Elsewhere')
  const { json } = await put(`${board}/todo/x.md`, '# Here\n')
  for (const [method, status] of [
    ['GET', 404],
    ['DELETE', 404],
    ['PUT', 409],
  ] as const) {
    const response = await request(method, `${board}/done/1`, { body: method === 'PUT' ? '# There\n' : '' })
    t.equal(response.status, status, method)
    t.match(response.json.message, json.path)
  }
  t.equal((await move(`${board}/done/1`, { toColumn: 'todo' })).status, 404)
  t.match((await request('GET', json.path)).text, /# Here/)
})

t.test('a card moves to a place between others, and the order is kept', async (t) => {
  const { board } = await newBoard('Order')
  const column = `${board}/02-todo`
  for (const title of ['A', 'B', 'C', 'D']) await put(`${column}/x-${title}.md`, `# ${title}\n`)
  t.strictSame(await titlesIn(column), ['A', 'B', 'C', 'D'])
  const place = async (number: number, beside: object) => {
    const { status, json } = await move(`${column}/${number}`, { toColumn: 'todo', ...beside })
    return [status, json.moved, (await titlesIn(column)).join('')]
  }
  t.strictSame(await place(4, { before: 1 }), [200, true, 'DABC'])
  t.strictSame(await place(1, { after: 3 }), [200, true, 'DBCA'])
  t.strictSame(await place(4, { after: 2, before: 3 }), [200, true, 'BDCA'])
  t.strictSame(await place(4, { after: 2 }), [200, false, 'BDCA'], 'it is already there')
  t.strictSame(await place(4, {}), [200, false, 'BDCA'])
  for (const beside of [{ before: 4 }, { after: 99 }, { after: 3, before: 2 }, { before: 'A' }])
    t.strictSame(await place(4, beside), [422, undefined, 'BDCA'], JSON.stringify(beside))
  await put(`${column}/2`, '# B\n\nChanged.\n')
  t.strictSame(await titlesIn(column), ['B', 'D', 'C', 'A'], 'a write keeps the position')
  await put(`${board}/done/e.md`, '# E\n')
  await move(`${board}/done/5`, { toColumn: 'todo', before: 3 })
  t.strictSame(await titlesIn(column), ['B', 'D', 'E', 'C', 'A'])
  for (let n = 0; n < 60; n++) await move(`${column}/${n % 2 ? 4 : 5}`, { toColumn: 'todo', after: 2 })
  t.strictSame(await titlesIn(column), ['B', 'D', 'E', 'C', 'A'], 'however often they are moved')
  await workroom.restart()
  t.strictSame(await titlesIn(column), ['B', 'D', 'E', 'C', 'A'])
})

t.test('moving into Done closes a card and moving out reopens it, whatever its file says', async (t) => {
  const { board, folder } = await newBoard('Done')
  const statusIn = async (column: string) => (await cardsIn(`${board}/${column}`))[0]?.status
  const shown = async (path: string) => /^status: (.*)$/m.exec((await request('GET', path)).text)?.[1]
  const body = '---\npriority: low\nstatus: drafted\nlabels: [a]\n---\n# Task\n\nText.\n'
  const { path } = (await put(`${board}/todo/x.md`, body)).json
  const done = (await move(path, { toColumn: 'done' })).json
  t.strictSame([await statusIn('done'), await shown(done.path)], ['closed', 'closed'])
  t.equal(readFileSync(join(folder, '04-done', done.filename), 'utf8'), body)

  const read = (await request('GET', done.path)).text
  t.equal((await put(done.path, read)).json.changed, false)
  await put(done.path, read.replace('Text.', 'Other text.'))
  t.equal(
    readFileSync(join(folder, '04-done', done.filename), 'utf8'),
    body.replace('Text.', 'Other text.'),
    'the status that a read shows instead of the author’s key is not stored',
  )
  const back = (await move(done.path, { toColumn: 'todo' })).json
  t.strictSame([await statusIn('todo'), await shown(back.path)], ['drafted', 'drafted'])
  await put(back.path, body.replace('drafted', 'active'))
  t.equal(await statusIn('todo'), 'active')
})

t.test(
  'a card in Done without frontmatter is shown as closed, and writing it back adds nothing to the file',
  async (t) => {
    const { board, folder } = await newBoard('Plain done')
    const { path, filename } = (await put(`${board}/done/x.md`, '# Plain\n\nText.\n')).json
    const read = (await request('GET', path)).text
    t.match(read, /^status: closed$/m)
    await put(path, read.replace('Text.', 'Other.'))
    t.equal(readFileSync(join(folder, '04-done', filename), 'utf8'), '# Plain\n\nOther.\n')
  },
)

t.test('a column: key that names another column moves the card too', async (t) => {
  const { board } = await newBoard('Column key')
  const { id, path } = (await put(`${board}/todo/x.md`, '# Keyed\n')).json
  const moved = (await put(path, '---\ncolumn: In progress\n---\n# Keyed\n')).json
  t.match(moved, { id, path: `${board}/03-in-progress/0001-keyed.md`, created: false, changed: true })
  const back = (await move(moved.path, { toColumn: 'todo' })).json
  const edited = (await put(back.path, '---\ncolumn: In progress\n---\n# Keyed\n\nText.\n')).json
  t.equal(edited.path, path, 'a key that was already there moves nothing')
  const created = (await put(`${board}/todo/y.md`, '---\ncolumn: done\n---\n# New\n')).json
  t.match(created.path, '/04-done/')
  t.match((await cardsIn(`${board}/done`))[0], { title: 'New', status: 'closed' })
  const closing = (await put(path, '---\ncolumn: done\n---\n# Keyed\n')).json
  t.match(
    (await cardsIn(`${board}/done`)).find(({ path }) => path === closing.path),
    { status: 'closed' },
  )
})

t.test('cards from the trash are restored with their number and in their column', async (t) => {
  const { board } = await newBoard('Card trash')
  const { id, path } = (await put(`${board}/todo/x.md`, '# Back\n')).json
  await request('DELETE', path)
  t.strictSame(await cardsIn(`${board}/todo`), [])
  const restored = await request('POST', `${board.replace('/board', '')}/trash/${id}/_restore`)
  t.match([restored.status, restored.json], [201, { id, path }])
  t.match(await cardsIn(`${board}/todo`), [{ number: 1, title: 'Back' }])
})
