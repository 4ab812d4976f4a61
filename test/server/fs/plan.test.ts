import { readFileSync } from 'node:fs'
import t from 'tap'
import { agentScopes, type Scope } from '../../../core/access/member.ts'
import { databasePath } from '../../../data/home.ts'
import { openDatabase } from '../../../data/open-database.ts'
import { leaveProject } from '../../support/leave-project.ts'
import { startWorkroom } from '../../support/workroom.ts'

const { addMember, clock, home, owner, request, restart, url, workspace } = await startWorkroom(t)
const bot = await addMember({ name: 'Bot', type: 'agent' }, 'general')
const grace = await addMember({ name: 'Grace', type: 'human' }, 'general')
const stranger = await addMember({ name: 'Stranger', type: 'human' })
const tree = '/v1/fs/projects/general'

const page = async (name: string, key = owner.key) => (await request('GET', `${tree}/${name}`, { key })).text
const put = async (body: string, headers = {}) => {
  const { status, json } = await request('PUT', `${tree}/plan.md`, { key: bot.key, body, headers })
  return { status, ...json }
}
const section = (text: string, name: string) => {
  const [, rest] = text.split(`## ${name}\n\n`) as [string, string]
  return rest.split(/\n\n## |\n$/)[0]
}
const goal = async () => section(await page('plan.md'), 'the goal')
const card = async (column: string, title: string, frontmatter = '') => {
  const body = `---\n${frontmatter}\n---\n# ${title}\n`
  const { status, json } = await request('PUT', `${tree}/board/${column}/new.md`, { body })
  if (status !== 201) throw new Error(JSON.stringify(json))
  clock.advance(1000)
  return json as { path: string; filename: string }
}
const ask = async (fields: object, key = bot.key) => {
  const { status, json } = await request('POST', '/api/asks', {
    key,
    body: { project: 'general', title: 'Sort', ...fields },
  })
  if (status !== 201) throw new Error(JSON.stringify(json))
  clock.advance(1000)
  return json.askId as string
}
const step = (askId: string, name: string, body: object, key = owner.key) =>
  request('POST', `/api/asks/${askId}/${name}`, { key, body })
const keyWithout = async (scope: Scope) => {
  const scopes = agentScopes.filter((one) => one !== scope)
  return (await workspace.stores.members.addKey(bot.member.id, { scopes })).key
}

t.test('a new project has an empty plan, map and list of asks', async (t) => {
  const plan = await request('GET', `${tree}/plan.md`, { key: bot.key })
  t.match(plan.headers, {
    'content-type': 'text/markdown; charset=utf-8',
    'x-service-url': `${url}/projects/general/plan`,
    'x-service-revision': /^[0-9a-f]{20}$/,
  })
  t.equal(
    plan.text,
    '# General: the plan\n\n## the goal\n\nNo goal yet. To set one, PUT this file with the goal in place of this line.' +
      '\n\n## decided\n\nNothing.\n\n## still open\n\nNothing.\n\n## in flight\n\nNothing.\n',
  )
  t.equal(await page('map.md'), '# General: the questions\n\n## Open\n\nNone.\n\n## Decided\n\nNone.\n')
  t.match(await page('asks.md'), /^# Asks in General\n[\s\S]*## Open\n\nNone\.\n\n## Claimed\n\nNone\.\n$/)
  for (const name of ['map', 'asks'])
    t.equal(
      (await request('HEAD', `${tree}/${name}.md`)).headers['x-service-url'],
      `${url}/projects/general/${name}`,
    )
})

t.test('a PUT of the plan stores the text below the goal, and names the sections it ignored', async (t) => {
  t.strictSame(
    await put('# Plan\n\nIntro.\n\n## THE GOAL ##\n\n\nShip *it*.\n\n### When\n\nSoon.\n\n## Decided\n\nx\n'),
    {
      status: 201,
      filename: 'plan.md',
      path: `${tree}/plan.md`,
      url: `${url}/projects/general/plan`,
      changed: true,
      ignored: ['Decided'],
    },
  )
  t.equal(await goal(), 'Ship *it*.\n\n### When\n\nSoon.')
  t.match(await put(await page('plan.md')), {
    changed: false,
    ignored: ['decided', 'still open', 'in flight'],
  })
  t.match(await put('Only this.\r\nAnd that.\n'), { changed: true, ignored: [] })
  t.equal(await goal(), 'Only this.\nAnd that.')
  t.match(await put('# A title\n\nText.\n\n## Why\n\nSo.\n\n## still open\n\ny\n'), {
    ignored: ['still open'],
  })
  t.equal(await goal(), 'Text.\n\n#### Why\n\nSo.', 'its headings are one level below those of the page')
  t.match(await put('Plan\n====\n\nthe *goal*\n---\n\nUnderlined.\n\n> ## decided\n\ndecided\n---\n\nx\n'), {
    ignored: ['decided'],
  })
  t.equal(await goal(), 'Underlined.\n\n> ## decided', 'headings are those of the parser')
  t.match(await put(' \n'), { changed: true })
  t.match(await goal(), 'No goal yet')
  t.match(await put(await page('plan.md')), { changed: false }, 'the text for a missing goal is not a goal')
  t.match(await put('## the goal\n\n## decided\n'), { changed: false })
})

t.test('whatever the goal contains, the other sections of the page are intact', async (t) => {
  for (const goal of [
    '```\n## decided\n',
    '- a\n  ~~~\n  x',
    '<!-- hidden',
    '  <script>',
    'Spoof\n---\n\n---',
    '# decided\n\n##\n',
    '````\n```',
    '#'.repeat(40_000),
  ]) {
    await put(`## the goal\n\n${goal}`)
    const text = await page('plan.md')
    for (const name of ['decided', 'still open', 'in flight'])
      t.equal(text.split(`\n\n## ${name}\n\n`).length, 2, goal.slice(0, 40))
    t.notMatch(text, /^\s*<(!|script)|Spoof\n-/m, goal.slice(0, 40))
    await put(text)
    t.equal(await page('plan.md'), text, 'and a page that is sent back stays the same')
  }
  await put('```\n## decided\n')
  t.match(await goal(), /^```\n## decided\n```$/)
})

t.test('the goal has a revision, which a PUT may name', async (t) => {
  await put('First.')
  const { headers } = await request('GET', `${tree}/plan.md`)
  const revision = String(headers['x-service-revision'])
  await card('02-todo', 'Nothing to the goal')
  t.match(await put('Second.', { 'If-Match': `"${revision}"` }), { status: 201, changed: true })
  t.match(await put('Third.', { 'If-Match': revision }), {
    status: 409,
    error: 'conflict',
    message: /PLAN_CONFLICT: changed in another session/,
    currentRevision: /^[0-9a-f]{20}$/,
  })
  t.equal((await request('PUT', `${tree}/plan.md?expectedRevision=${revision}`, { body: 'x' })).status, 409)
  t.equal((await put('x', { 'If-Match': 'nonsense?' })).status, 422)
  t.equal(await goal(), 'Second.')
})

t.test('a goal that is too long or is not text is refused', async (t) => {
  const long = 'x'.repeat(64 * 1024)
  t.match(await put(long), { status: 201 })
  t.match(await put(`${long}x`), { status: 413, message: /at most 64 kB/ })
  t.equal((await put('x'.repeat(512 * 1024 + 1))).status, 413)
  t.equal((await put('nul \0')).status, 422)
  t.match(await put('> '.repeat(30_000)), {
    status: 422,
    error: 'unprocessable',
    message: /Shorten it, or move/,
  })
  await put('')
})

t.test('the plan needs a member of the project, and a key with its scopes', async (t) => {
  for (const method of ['GET', 'PUT'])
    t.equal((await request(method, `${tree}/plan.md`, { key: stranger.key, body: 'x' })).status, 403, method)
  const writer = await keyWithout('documents:read')
  t.match((await request('GET', `${tree}/plan.md`, { key: writer })).json.message, /documents:read/)
  const reader = await keyWithout('documents:write')
  const { json } = await request('PUT', `${tree}/plan.md`, { key: reader, body: 'x' })
  t.match(json, { error: 'forbidden', message: /documents:write/ })
  t.equal((await request('GET', '/v1/fs/projects/none/plan.md')).status, 404)
  t.match(await page('plan.md', await keyWithout('cards:read')), 'Your key lacks cards:read')
  t.match(await page('plan.md', await keyWithout('asks:read')), 'Your key lacks asks:read')
  t.match(
    (await request('GET', `${tree}/map.md`, { key: await keyWithout('cards:read') })).json.message,
    /cards:read/,
  )
  t.match(await page('map.md', await keyWithout('asks:read')), 'Your key lacks asks:read')
  t.match(
    (await request('GET', `${tree}/asks.md`, { key: await keyWithout('asks:read') })).json.message,
    /asks:read/,
  )
  for (const name of ['map.md', 'asks.md'])
    t.equal((await request('GET', `${tree}/${name}`, { key: stranger.key })).status, 403, name)
})

t.test('generated files have no blocks and no views, and only the plan can be written', async (t) => {
  for (const name of ['plan.md', 'map.md', 'asks.md']) {
    const allowed = name === 'plan.md' ? 'GET, HEAD, PUT' : 'GET, HEAD'
    t.equal((await request('PUT', `${tree}/${name}?block=kabcdefg`, { body: 'x' })).status, 422, name)
    t.equal((await request('GET', `${tree}/${name}?view=blocks`)).status, 422, name)
    t.equal((await request('GET', `${tree}/${name}?view=x`)).status, 400, name)
    for (const method of name === 'plan.md' ? ['DELETE', 'POST'] : ['PUT', 'DELETE', 'POST']) {
      const { status, headers, json } = await request(method, `${tree}/${name}`, { body: 'x' })
      t.strictSame([status, headers.allow, json.error], [405, allowed, 'bad_request'], `${method} ${name}`)
    }
  }
  t.equal((await request('PUT', `${tree}/plan.md?view=outline`, { body: 'x' })).status, 422)
})

t.test('the plan lists the decided, the open and the work in flight, from cards and asks', async (t) => {
  const closed = await card(
    '02-todo',
    'Which [door]?',
    'kind: question\nstatus: closed\nresolution: The *red* one',
  )
  const open = await card('02-todo', 'Which key?', 'kind: question')
  const busy = await card('03-in-progress', 'Paint it', 'assignees: [Grace, Bot]')
  const nobodys = await card('03-in-progress', 'Dry it')
  const answered = await ask({ title: 'Which colour?', options: ['Red', 'Blue'] })
  await step(answered, 'resolve', { chosenOption: 'Blue', resolution: 'As the sea' })
  const asked = await ask({ title: 'Which brush?', options: ['Wide', 'Fine'] })
  const work = await ask({ title: 'Sweep' })
  await step(work, 'claim', {}, grace.key)
  const free = await ask({ title: 'Dust' })
  await step(await ask({ title: 'Never mind' }), 'cancel', {})

  const plan = await page('plan.md')
  t.equal(
    section(plan, 'decided'),
    `- *Which colour?* · \`${answered}\` · **Blue: As the sea** · Ada\n` +
      `- *Which \\[door\\]?* · \`${closed.path}\` · **The \\*red\\* one**`,
  )
  t.equal(
    section(plan, 'still open'),
    `- *Which key?* · \`${open.path}\`\n- *Dust* · \`${free}\` · asked by Bot\n` +
      `- *Which brush?* · \`${asked}\` · asked by Bot · Wide / Fine`,
  )
  t.equal(
    section(plan, 'in flight'),
    `- *Paint it* · \`${busy.path}\` · Grace, Bot\n- *Dry it* · \`${nobodys.path}\` · nobody\n` +
      `- *Sweep* · \`${work}\` · Grace`,
  )
  t.notMatch(plan, 'Never mind')
})

t.test('the map draws which question waits for which, and lists them with their answers', async (t) => {
  const first = await card('02-todo', 'Before "it"', 'kind: question')
  const evil = await ask({ title: 'End]--> `x` #1; <b>', options: ['a|b', '**c**'] })
  const number = Number(first.filename.slice(0, 4))
  const second = await card('02-todo', 'After it', `kind: question\nblocked-by: [${number}, ${number}, 9999]`)
  const map = await page('map.md')
  const [, drawing] = /```mermaid\n([^`]*)\n```/.exec(map)!
  t.match(drawing, `  card${number}["Before #34;it#34;"]\n`)
  t.match(drawing, `  ${evil}["End#93;--#62; #96;x#96; #35;1#59; #60;b#62;"]\n`)
  t.match(map, `- *End\\]--\\> \\\`x\\\` \\#1; \\<b\\>* · open · a\\|b / \\*\\*c\\*\\* · \`${evil}\``)
  t.equal(drawing!.split(`\n  card${number} --> card${number + 1}\n`).length, 2, 'one arrow')
  t.notMatch(drawing, '9999')
  t.match(drawing, /\["Which colour\?"\]:::decided\n/)
  t.match(drawing, /\n {2}ask_\w+\["Which brush\?"\]\n/)
  t.notMatch(map, 'Dust', 'a task is not a question')
  t.match(section(map, 'Open'), `*After it* · open · waits for card ${number} · \`${second.path}\``)
  t.match(section(map, 'Open'), /\*Which brush\?\* · open · Wide \/ Fine · `ask_\w+`/)
  t.match(section(map, 'Decided'), /\*Which \\\[door\\\]\?\* · decided · \*\*The \\\*red\\\* one\*\*/)
  t.match(section(map, 'Decided'), /\*Which colour\?\* · decided · \*\*Blue: As the sea\*\*/)

  await request('POST', `${first.path}/_move`, { body: { toColumn: '04-done' } })
  t.match(section(await page('map.md'), 'Decided'), 'Before "it"', 'a card in Done is decided')
})

t.test('plan, map and asks are available as JSON, for those who may read them', async (t) => {
  const {
    asks: { pages: askPages, plan },
  } = workspace
  const me = workspace.stores.members.authenticate(bot.key)!
  const facts = await plan.data(me, 'general')
  t.match(facts, {
    projectName: 'General',
    revision: /^[0-9a-f]{20}$/,
    url: `${url}/projects/general/plan`,
    decided: [
      { kind: 'card', card: { title: 'Before "it"' } },
      { kind: 'ask', ask: { title: 'Which colour?', answer: ['Blue', 'As the sea'] } },
      { kind: 'card', card: { title: 'Which [door]?', resolution: 'The *red* one' } },
    ],
    lacks: [],
  })
  const titles = (entries: typeof facts.open) =>
    entries.map((entry) => (entry.kind === 'card' ? entry.card.title : entry.ask.title))
  t.same(titles(facts.inFlight), ['Paint it', 'Dry it', 'Sweep'])
  const map = await plan.questions(me, 'general')
  t.match(await page('map.md'), `\`\`\`mermaid\n${map.drawing}\n\`\`\``)
  const after = map.questions.find(({ title }) => title === 'After it')!
  t.same(map.arrows, [{ from: `card${after.blockedBy[0]}`, to: after.node }])
  t.match(map, { left: 0, lacks: [], url: `${url}/projects/general/map` })
  const asks = askPages.details(me, 'general')
  t.same([asks.openCount, asks.claimedCount], [asks.open.length, 1])
  t.match(asks, { projectName: 'General', claimed: [{ title: 'Sweep', claimedBy: 'Grace' }] })

  const limited = workspace.stores.members.authenticate(await keyWithout('asks:read'))!
  t.match(await plan.data(limited, 'general'), { lacks: ['asks:read'], open: [{ kind: 'card' }] })
  t.throws(() => askPages.details(limited, 'general'), { code: 'forbidden' })
  await t.rejects(plan.questions(workspace.stores.members.authenticate(stranger.key)!, 'general'), {
    code: 'forbidden',
  })
})

t.test('asks.md lists open and claimed asks, each with the details to answer it', async (t) => {
  const body = `# Not a heading\n\n@[Grace](${grace.member.id}) knows.`
  const id = await ask({ title: 'Whose *turn*?', body, options: ['Yours', 'Mine'], assignees: ['Grace'] })
  const text = await page('asks.md', bot.key)
  t.match(text, `curl -sS -H "Authorization: Bearer $WORKROOM_KEY" -X POST '${url}/api/asks/ASK_ID/claim'`)
  t.equal(
    section(text, 'Open')!.split('\n\n### ')[0],
    [
      '### Whose \\*turn\\*?',
      '',
      `- id: \`${id}\``,
      '- kind: question',
      `- asked by: Bot, ${new Date(clock.now() - 1000).toISOString()}`,
      '- options: Yours, Mine',
      '- assignees: Grace',
      `- answer: \`POST /api/asks/${id}/resolve\` with \`{"chosenOption": "…"}\``,
      '- text: \\# Not a heading @Grace knows.',
    ].join('\n'),
  )
  t.match(section(text, 'Open'), /- kind: work\n[^#]*- claim: `POST \/api\/asks\/ask_\w+\/claim`/)
  t.match(section(text, 'Claimed'), /^### Sweep\n\n- id: `ask_\w+`\n[^#]*- claimed by: Grace$/)
})

t.test('the orientation lists open asks, one’s own first, with a request that claims', async (t) => {
  const list = async (key: string) => {
    const { text } = await request('GET', '/v1/fs', { key })
    return section(text, 'Open asks that can be claimed') ?? ''
  }
  const others = await ask({ title: 'For others', assignees: ['Grace'] })
  const own = await ask({ title: 'For *Bot*', assignees: ['Bot'] })
  const lines = (await list(bot.key)).split('\n').filter((line) => line.startsWith('- '))
  t.equal(lines[0], `- *For \\*Bot\\** in \`general\` · asked by Bot · for **you** · \`${own}\``)
  t.match(lines.slice(1), [
    /\*Dust\* .* unassigned/,
    `*For others* in \`general\` · asked by Bot · for Grace · \`${others}\``,
  ])
  const { text } = await request('GET', '/v1/fs', { key: bot.key })
  t.match(text, `-X POST "$url/api/asks/${own}/claim"`)
  t.notMatch((await request('GET', '/v1/fs', { key: await keyWithout('asks:write') })).text, '/claim')
  t.notMatch(
    (await request('GET', '/v1/fs', { key: await keyWithout('asks:read') })).text,
    'Open asks that can be claimed',
  )
  t.equal(await list(stranger.key), 'None.')
  for (let n = 0; n < 10; n++) await ask({ title: `More ${n}` })
  t.equal((await list(grace.key)).split('\n').filter((line) => line.startsWith('- ')).length, 10)
  await leaveProject(home, workspace.stores.projects.find('general')!.id, grace.member.id)
  t.equal(await list(grace.key), 'None.')
})

t.test('a long plan and a long list say how much is left out', async (t) => {
  const database = openDatabase(databasePath(home))
  const insert = database.connection.prepare(`
    INSERT INTO asks (id, project_id, kind, title, body, options, state, created_by, assignees, created_ms, updated_ms)
    SELECT 'ask_many' || value, (SELECT id FROM projects), 'work', 'Many', '', '[]', 'open', ?, '[]', 1, 1
    FROM json_each(?)`)
  await database.commit(() => insert.run(owner.member.id, JSON.stringify([...Array(120).keys()])))
  await database.close()
  t.equal((await request('GET', '/api/asks?limit=500')).json.asks.length, 100)
  t.match(await page('asks.md'), /\n\nAnd \d+ more, see `GET \/api\/asks`\.\n\n## Claimed/)
  t.match(section(await page('plan.md'), 'still open'), /\n\nAnd \d+ more\.$/)
})

t.test('goal and cards are kept after a restart, also with an older database', async (t) => {
  await put('Kept.')
  await restart(() => {
    const database = openDatabase(databasePath(home))
    const db = database.connection
    db.exec(`UPDATE documents SET card = json_remove(card, '$.isQuestion', '$.blockedBy', '$.resolution')`)
    const schema = readFileSync(new URL('../../../data/schema/012-asks.sql', import.meta.url), 'utf8')
    db.exec(schema.slice(schema.indexOf('UPDATE documents')))
    return database.close()
  })
  t.equal(await goal(), 'Kept.')
  const map = await page('map.md')
  t.match(map, /After it\* · open · waits for card \d+/)
  t.match(map, /\*\*The \\\*red\\\* one\*\*/)
})
