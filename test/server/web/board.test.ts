import { renameSync } from 'node:fs'
import t from 'tap'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { openProjectFolder } from '../../support/project-folder.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const disk = breakableDisk()
const workroom = await openProjectFolder(t, { faults: { tree: { fs: disk.fs } } })
const { owner, clock, workspace } = workroom
const grace = await workroom.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const scout = await workroom.addMember({ name: 'Scout', type: 'agent' }, 'general')
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
const signedIn = (key: string) => new ScriptlessBrowser(workroom).signIn(key)
const ada = await signedIn(owner.key)
const tree = '/v1/fs/projects/general'
const pages = '/projects/general'
const today = new Date(clock.now()).toISOString().slice(0, 10)

const card = async (column: string, title: string, fields = '') => {
  const body = `---\n${fields}---\n# ${title}\n\nText.\n`
  const { json } = await workroom.request('PUT', `${tree}/board/${column}/new-card.md`, { body })
  return { id: json.id as string, path: json.path as string, page: new URL(json.url).pathname }
}
/** The part of a page from the element with an id to the next closing tag of that name. */
const partOf = (main: string, tag: string, id: string): string =>
  new RegExp(`<${tag}[^>]* id="${id}"[\\s\\S]*?</${tag}>`).exec(main)?.[0] ?? ''
const ask = async (fields: object, key = owner.key) => {
  const { json } = await workroom.request('POST', '/api/asks', {
    key,
    body: { project: 'general', ...fields },
  })
  return json.askId as string
}

t.test('an empty board, plan, map and list of asks explain what belongs there', async (t) => {
  t.match(
    await ada.main(`${pages}/board`),
    /No cards yet\.[\s\S]*href="[^"]*\/new\?kind=card&amp;column=01-triage">Create the first card/,
  )
  t.match(
    await ada.main(`${pages}/plan`),
    /No goal yet[\s\S]*Nothing in flight[\s\S]*No open questions[\s\S]*Nothing decided yet/,
  )
  t.match(await ada.main(`${pages}/map`), 'No questions yet.')
  t.match(await ada.main(`${pages}/asks`), 'No open asks.')
})

t.test('the board shows each card in its column, with its fields', async (t) => {
  const first = await card(
    '01-triage',
    'First & <second',
    `priority: urgent\nlabels: [bug, "<i>"]\nassignees: [Ada, Grace Hopper]\ndue: 2001-02-03\n`,
  )
  const second = await card('02-todo', 'Second', `blocked-by: [1, 99]\nstatus: drafted\ndue: ${today}\n`)
  const third = await card('02-todo', 'Third', 'kind: question\nstatus: closed\n')
  await workroom.request('POST', `${third.path}/_move`, { body: { toColumn: '02-todo', before: 2 } })
  const fourth = await card(
    '04-done',
    'Fourth',
    `blocked-by: [1]\ndue: 2001-02-03\nassignees: [${[owner, grace].map(({ member }) => member.name)}]\n`,
  )
  const main = await ada.main(`${pages}/board`)
  t.same(
    [...main.matchAll(/data-column="([\w-]+)"|id="card-(\w+)"/g)].map(([, column, id]) => column ?? id),
    ['01-triage', first.id, '02-todo', third.id, second.id, '03-in-progress', '04-done', fourth.id],
  )
  const cardHtml = ({ id }: { id: string }) => main.split(`id="card-${id}"`)[1]!.split('id="card-')[0]!
  t.match(
    cardHtml(first),
    `<a href="/projects/general/board/1" id="open-${first.id}" draggable="false" aria-describedby="board-help"><bdi>First &amp; &lt;second</bdi></a>`,
  )
  t.match(
    cardHtml(first),
    /urgent<\/span>[\s\S]*Was due 3 Feb 2001[\s\S]*<bdi class="tag">bug<\/bdi>[\s\S]*<bdi class="tag">&lt;i&gt;<\/bdi>[\s\S]*title="Ada"[\s\S]*>A<[\s\S]*title="Grace Hopper"[\s\S]*>GH</,
  )
  t.match(cardHtml(second), 'title="Blocked by 1 First &amp; &lt;second">Blocked<')
  t.match(cardHtml(second), /Draft<[\s\S]*>Due \d/, 'a card that is due today is not late')
  t.match(cardHtml(third), /Question<[\s\S]*Closed</)
  t.notMatch(cardHtml(fourth), /Blocked|Was due/, 'a card that is done is neither blocked nor late')
  t.match(
    main,
    'href="/projects/general/new?kind=card&amp;column=03-in-progress" aria-label="New card in In progress"',
  )
  t.match(main, /<form [^>]*class="board-filter"[^>]* hidden/, 'without script the filter is hidden')
  t.match(
    await ada.main(`${pages}/board?q=a%22b&assignee=-&label=gone`),
    /value="a&quot;b"[\s\S]*value="-" selected[\s\S]*value="gone" selected/,
  )
  const project = workspace.stores.projects.find('general')!
  t.match(
    (await ada.open(`${pages}/board`)).text,
    `data-follows="{&quot;events&quot;:[],&quot;topics&quot;:[&quot;board:${project.id}&quot;]`,
  )
})

t.test('a card’s page shows its fields, the cards that block it, and those that it blocks', async (t) => {
  const second = await ada.main(`${pages}/board/2`)
  t.match(second, /<h1[^>]*>Second<\/h1>/)
  t.match(second, /<span class="card-number">Card 2<\/span>[\s\S]*<span class="tag">To do<\/span>/)
  t.match(second, /data-move>[\s\S]*<option value="02-todo" selected>To do/)
  t.match(second, '<option value="drafted" selected>Draft')
  t.match(second, '<option value="none" selected>None')
  t.match(second, `data-field="due" value="${today}"`)
  t.match(
    second,
    /Blocked by<\/label>[\s\S]*href="\/projects\/general\/board\/1"[\s\S]*aria-label="Remove card 1"/,
  )
  t.match(second, 'href="/projects/general/edit/board/2"')
  const first = await ada.main(`${pages}/board/1`)
  t.match(first, /Blocks[\s\S]*board\/2"[\s\S]*Second[\s\S]*class="closed"[\s\S]*Fourth/)
  t.match(
    first,
    /data-remove="labels" data-value="bug"[\s\S]*data-remove="assignees" data-value="Ada"|data-value="Ada"[\s\S]*data-value="bug"/,
  )
  t.match(first, '<option value="Scout">Scout</option>', 'every member of the project can be assigned')
  t.notMatch(first, '<option value="Stranger">')
  t.notMatch(first, 'id="answer"')
  const third = await ada.main(`${pages}/board/3`)
  t.match(partOf(third, 'section', 'answer'), 'Closed without an answer.')
  const revision = (await workroom.request('GET', `${tree}/board/02-todo/2`)).headers[
    'x-service-revision'
  ] as string
  t.match(await ada.main(`${pages}/board/2?history`), 'History of')
  const { json } = await workroom.request('PUT', `${tree}/board/02-todo/2`, { body: '# Second\n\nOther.\n' })
  t.equal(json.changed, true)
  t.match(await ada.main(`${pages}/board/2?diff=${revision}`), 'Changes in')
  const older = await ada.main(`${pages}/board/2?revision=${revision}`)
  t.match(older, /This is an older revision[\s\S]*blocked-by/)
  t.notMatch(older, 'card-fields', 'the fields of an older revision cannot be changed')
})

t.test('a card’s number is enough to open it; any other name answers 404', async (t) => {
  for (const name of ['0001-first-second', '0001-first-second.md']) {
    const { status, headers } = await ada.open(`${pages}/board/${name}`)
    t.same([status, headers.location], [303, `${pages}/board/1`], name)
  }
  for (const path of ['/board/77', '/board/nothing', '/board/77?history']) {
    const { status, text } = await ada.open(pages + path)
    t.equal(status, 404, path)
    t.match(text, /Card not found[\s\S]*href="\/projects\/general\/board">Show all cards/)
  }
})

t.test('a card that is deleted while its page is rendered answers 404', async (t) => {
  const { page } = await card('01-triage', 'Fleeting')
  t.intercept(workspace.documents.board, 'cards', { value: () => Promise.resolve([]) })
  t.match(await ada.open(page), { status: 404, text: /Card not found/ })
})

t.test(
  'someone outside the project sees none of its pages, and someone signed out is sent to sign in',
  async (t) => {
    const outside = await signedIn(stranger.key)
    for (const path of ['board', 'board/1', 'plan', 'map', 'asks']) {
      t.equal((await outside.open(`${pages}/${path}`)).status, 403, path)
      t.equal((await ada.open(`/projects/nothing/${path}`)).status, 404, path)
      const { status, headers } = await new ScriptlessBrowser(workroom).open(`${pages}/${path}`)
      t.same([status, headers.location], [303, `/signin?next=${encodeURIComponent(`${pages}/${path}`)}`])
    }
  },
)

t.test('an ask offers each reader only what they may do', async (t) => {
  const [gracesBrowser, scouts] = [await signedIn(grace.key), await signedIn(scout.key)]
  const work = await ask({ title: 'Look at <it>', body: 'See **this**.', assignees: ['Scout'] }, grace.key)
  const question = await ask({ title: 'When?', options: ['Friday', 'Not "now"'] }, scout.key)
  const item = async (id: string, browser = ada) => partOf(await browser.main(`${pages}/asks`), 'article', id)
  const acts = (text: string) =>
    [...text.matchAll(/data-call="\w+ \/api\/asks\/\w+\/(\w+)"/g)].map(([, act]) => act)

  const open = await item(work)
  t.match(
    open,
    /Look at &#x3C;it>[\s\S]*Asked by <a href="\/members\/\w+"><bdi>Grace Hopper<\/bdi>[\s\S]*for <a[^>]*><bdi>Scout[\s\S]*<strong>this<\/strong>/,
  )
  t.same(acts(open), ['claim', 'assignees', 'cancel'], 'an owner may cancel')
  t.same(acts(await item(work, scouts)), ['claim', 'assignees'])
  t.same(acts(await item(work, gracesBrowser)), ['claim', 'assignees', 'cancel'], 'the asker may cancel, too')
  t.same(acts(await item(question, gracesBrowser)), ['resolve', 'resolve', 'resolve', 'assignees'])
  t.match(
    await item(question, gracesBrowser),
    'data-json="{&quot;chosenOption&quot;:&quot;Not \\&quot;now\\&quot;&quot;}"',
  )
  const seenByAgent = await item(question, scouts)
  t.match(seenByAgent, 'A person answers this.')
  t.same(acts(seenByAgent), ['assignees', 'cancel'])

  await workroom.request('POST', `/api/asks/${work}/claim`, { key: scout.key })
  t.same(acts(await item(work, scouts)), ['resolve', 'release', 'assignees'])
  t.same(acts(await item(work, gracesBrowser)), ['cancel'])
  t.same(acts(await item(work)), ['resolve', 'release', 'cancel'])
  await workroom.request('POST', `/api/asks/${work}/resolve`, {
    key: scout.key,
    body: { resolution: `All is @[Ada](${owner.member.id})` },
  })
  await workroom.request('POST', `/api/asks/${question}/resolve`, {
    key: grace.key,
    body: { chosenOption: 'Friday' },
  })
  t.match(
    await item(work),
    /Resolved<[\s\S]*resolved by <bdi>Scout<\/bdi>[\s\S]*class="mention"[^>]*><bdi>@Ada/,
  )
  t.match(
    await item(question),
    /resolved by <bdi>Grace Hopper<\/bdi>[\s\S]*<p class="answered"><bdi>Friday<\/bdi>/,
  )
  t.same([acts(await item(work)), acts(await item(question))], [[], []])
})

t.test(
  'the plan lists and links what is in flight, open and decided, and the map draws all questions',
  async (t) => {
    await workroom.request('PUT', `${tree}/plan.md`, { body: 'Ship **it** & <go>' })
    await card('03-in-progress', 'Flying', 'assignees: [Grace Hopper]\n')
    const open = await card('02-todo', 'Which "unit"?', 'kind: question\n')
    await card('02-todo', 'Then what?', `kind: question\nblocked-by: [${open.page.split('/').at(-1)}]\n`)
    await card('04-done', 'Settled?', 'kind: question\nresolution: Yes\n')
    const waiting = await ask({ title: 'Which day?', options: ['Mon', 'Tue'] })
    const plan = await ada.main(`${pages}/plan`)
    t.match(plan, /id="goal" data-live[\s\S]*Ship <strong>it<\/strong> &#x26; &#x3C;go>/)
    t.match(
      plan,
      '<textarea id="goal-text" name="goal" rows="6" dir="auto">Ship **it** &amp; &lt;go&gt;</textarea>',
    )
    t.match(
      plan,
      /In flight[\s\S]*Flying<[\s\S]*<bdi>Grace Hopper<\/bdi>[\s\S]*Still open[\s\S]*Which &quot;unit&quot;\?[\s\S]*Decided[\s\S]*Settled\?[\s\S]*>Yes</,
    )
    t.match(
      plan,
      `href="${pages}/asks#${waiting}"><bdi>Which day?</bdi></a>\n<small>Asked by <bdi>Ada</bdi> · <bdi>Mon / Tue</bdi>`,
    )
    const map = await ada.main(`${pages}/map`)
    const [, drawing] = /<img src="data:image\/svg\+xml;base64,([\w+/=]+)" alt="Flowchart/.exec(map)!
    const svg = Buffer.from(drawing!, 'base64').toString()
    for (const title of ['Which &quot;unit&quot;?', 'Then what?', 'Settled?', 'Which day?'])
      t.match(svg, `>${title}<`)
    t.match(
      map,
      new RegExp(`Then what\\?</bdi></a>\\n<small>Card \\d+ · blocked by <a href="${open.page}">card`),
    )
  },
)

t.test('the board’s changes since a page was loaded can be fetched by those who may read it', async (t) => {
  const touched = async () => /data-touched="(\d+)"/.exec((await ada.open(`${pages}/board`)).text)![1]!
  const changes = (since: string, browser = ada) => browser.open(`${pages}/board?part=changes&since=${since}`)
  const idsIn = (text: string) => [...text.matchAll(/<li class="card" id="card-(\w+)"/g)].map(([, id]) => id)
  const numberOf = ({ page }: { page: string }) => page.split('/').at(-1)
  const before = await touched()
  const blocker = await card('01-triage', 'Blocker')
  const waiting = await card('02-todo', 'Waits', `blocked-by: [${numberOf(blocker)}]\n`)
  await card('02-todo', 'Other')
  await workroom.eventually(async () => idsIn((await changes(before)).text).length === 3)
  const later = await touched()
  t.same(idsIn((await changes(later)).text), [])
  await workroom.request('POST', `${blocker.path}/_move`, { body: { toColumn: 'done' } })
  const moved = await workroom.eventually(async () => {
    const { text } = await changes(later)
    return idsIn(text).length > 0 ? text : null
  })
  t.same(idsIn(moved), [waiting.id, blocker.id], 'the card and the card that it blocks')
  t.match(
    moved,
    new RegExp(
      `data-column="04-done"[^>]*>\\s*<div data-after="[^"]*"><li class="card" id="card-${blocker.id}"`,
    ),
  )
  t.notMatch(moved, /<main|Other/)
  await workroom.request('DELETE', waiting.path)
  await workroom.eventually(async () =>
    (await changes(later)).text.includes(`data-removed="card-${waiting.id}"`),
  )
  t.match((await changes('0')).text, 'data-whole')
  t.equal((await changes('x')).status, 400)
  t.equal((await changes(later, await signedIn(stranger.key))).status, 403)
})

t.test('a card that is moved while its page is rendered is shown in its new column', async (t) => {
  const { page, path } = await card('02-todo', 'On the move')
  const name = path.split('/').at(-1)!
  let columns: [string, string] = ['02-todo', '03-in-progress']
  const fileIn = (column: string) => workroom.at(`board/${column}/${name}`)
  let moves = 0
  for (let look = 1; ; look++) {
    let looks = 0
    let isMoved = false
    disk.replace('lstatSync', (real, [file]) => {
      if (file === fileIn(columns[0]) && ++looks === look) {
        isMoved = true
        renameSync(fileIn(columns[0]), fileIn(columns[1]))
      }
      return real()
    })
    const main = await ada.main(page).finally(() => disk.mend())
    t.match(main, 'On the move', `moved at the lstat number ${look}`)
    if (!isMoved) break
    moves += 1
    columns = [columns[1], columns[0]]
    t.match(await ada.main(page), columns[0] === '02-todo' ? 'To do' : 'In progress')
  }
  t.ok(moves > 0, 'the card was moved at least once')
})

t.test(
  'a diagram in a document is a picture, and an archived project can be read but not changed',
  async (t) => {
    const { path } = await workroom.put('Drawn', '```mermaid\ngraph TD\n  A --> B\n```\n')
    t.match(
      await ada.main(`${pages}/docs/drawn`),
      /<figure[^>]*class="diagram"[\s\S]*<img src="data:image\/svg\+xml;base64,/,
    )
    t.ok(path)
    const { id } = workspace.stores.projects.find('general')!
    await ask({ title: 'Still open' })
    await workroom.request('PATCH', `/v1/projects/${id}`, { body: { archived: true } })
    const board = await ada.main(`${pages}/board`)
    t.match(board, 'This project is archived')
    t.notMatch(board, /New card|data-movable|class="handle"/)
    const read = await ada.main(`${pages}/board/1`)
    t.match(read, '<fieldset disabled>')
    t.notMatch(read, /data-add|data-remove|>Edit</)
    t.notMatch(await ada.main(`${pages}/asks`), /data-call|new-ask/)
    t.notMatch(await ada.main(`${pages}/plan`), 'goal-form')
  },
)
