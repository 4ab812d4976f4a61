import { once } from 'node:events'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { accessible } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'

const browser = await openBrowser(t)
const desk = await openProjectFolder(t)
const grace = await desk.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const scout = await desk.addMember({ name: 'Scout', type: 'agent' }, 'general')
const ada = await browser.person(desk, desk.owner)
const phone = await browser.person(desk, grace, { window: 'phone', colorScheme: 'dark' })
const tree = '/v1/fs/projects/general'
const pages = '/projects/general'

const card = async (column: string, title: string, fields = '') => {
  const body = `---\n${fields}---\n# ${title}\n\nText of ${title}.\n`
  const { json } = await desk.request('PUT', `${tree}/board/${column}/new-card.md`, { body })
  return Number(/(\d+)-[^/]*$/.exec(json.path)![1])
}
/** The numbers of the cards in a column, from the interface. */
const numbersIn = async (column: string): Promise<number[]> => {
  const { json } = await desk.request('GET', `${tree}/board/${column}`)
  return json.cards.map(({ number }: { number: number }) => number)
}
/** The text of a card. */
const fileOf = async (column: string, number: number): Promise<string> =>
  (await desk.request('GET', `${tree}/board/${column}/${number}`)).text

const tile = (page: Page, number: number) => page.locator(`.card[data-number="${number}"]:not(.ghost)`)
const list = (page: Page, title: string) => page.getByRole('list', { name: title, exact: true })
const shownIn = (page: Page, title: string): Promise<string[]> =>
  list(page, title).locator('.card:visible .card-number').allTextContents()
const middleOf = async (locator: Locator) => {
  const { x, y, width, height } = (await locator.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}
/** Waits until a column shows these cards in this order. */
const untilShown = (page: Page, title: string, numbers: number[]) =>
  desk.eventually(async () => (await shownIn(page, title)).join() === numbers.join())

const [one, two, three, four] = [
  await card('01-triage', 'One', 'labels: [bug]\nassignees: [Grace Hopper]\n'),
  await card('01-triage', 'Two', '# Why: see the room\npriority: low # for now\nlabels:\n  - tides\n'),
  await card('02-todo', 'Three'),
  await card('02-todo', 'Four', 'labels: [bug]\n'),
]

t.test('the page’s policy allows diagrams, and the form for asks is accessible', async (t) => {
  await desk.put('Drawn', '```mermaid\ngraph TD\n  A --> B\n```\n')
  await ada.goto(`${pages}/docs/drawn`)
  await ada.getByRole('img', { name: 'Flowchart. Its source follows.' }).waitFor()
  t.ok(await ada.evaluate<boolean>('document.querySelector(".drawing img").naturalWidth > 50'))
  await phone.goto(`${pages}/asks`)
  await phone.getByText('New ask').click()
  await phone.getByLabel('Question: a person chooses an answer').check()
  await accessible(t, phone)
  t.equal(await phone.evaluate<number>('document.documentElement.scrollWidth'), 375)
})

t.test('a card is dragged with the mouse, and others see it in its new place', async (t) => {
  await Promise.all([ada.goto(`${pages}/board`), phone.goto(`${pages}/board`)])
  const [from, to] = [await middleOf(tile(ada, one)), await middleOf(tile(ada, four))]
  await ada.mouse.move(from.x, from.y)
  await ada.mouse.down()
  await ada.mouse.move(from.x + 20, from.y, { steps: 2 })
  await ada.locator('.ghost').waitFor()
  await ada.mouse.move(to.x, to.y - 5, { steps: 3 })
  await ada.mouse.up()
  await untilShown(phone, 'To do', [three, one, four])
  t.same(await shownIn(ada, 'To do'), [three, one, four].map(String))
  t.same(await numbersIn('02-todo'), [three, one, four])
  t.match(ada.url(), /\/board$/, 'the click that ends a drag opens no card')
  t.equal(await ada.locator('.ghost').count(), 0)

  await ada.mouse.move(to.x, to.y)
  await ada.mouse.down()
  await ada.mouse.move(from.x, from.y, { steps: 3 })
  await ada.keyboard.press('Escape')
  await ada.mouse.up()
  t.same(await shownIn(ada, 'To do'), [three, one, four].map(String), 'Escape puts it back')
})

t.test('a card is moved by keys with each step announced, and Escape puts it back', async (t) => {
  await ada.goto(`${pages}/board`)
  const link = tile(ada, three).getByRole('link')
  const news = ada.locator('#board-news')
  await link.focus()
  await ada.keyboard.press('Space')
  await news.getByText(`Picked up card ${three}, To do, place 1 of 3.`).waitFor()
  await ada.keyboard.press('ArrowDown')
  await news.getByText('To do, place 2 of 3.').waitFor()
  await ada.keyboard.press('ArrowRight')
  await news.getByText('In progress, place 1 of 1.').waitFor()
  await ada.keyboard.press('Escape')
  await news.getByText(`Move cancelled: card ${three} is back at To do, place 1 of 3.`).waitFor()
  t.same(await numbersIn('02-todo'), [three, one, four])
  for (const key of ['Space', 'ArrowLeft', 'ArrowDown', 'Space']) await ada.keyboard.press(key)
  await news.getByText(`Dropped card ${three}, Triage, place 2 of 2.`).waitFor()
  t.same(await numbersIn('01-triage'), [two, three])
  await tile(ada, three).locator('a:focus').waitFor()
})

t.test('changes fetched before a card was picked up do not take it away', async (t) => {
  await ada.goto(`${pages}/board`)
  const news = ada.locator('#board-news')
  const [fetched, moved, answered] = [new AbortController(), new AbortController(), new AbortController()]
  const [isFetched, isMoved, isAnswered] = [fetched, moved, answered].map(({ signal }) =>
    once(signal, 'abort'),
  )
  await ada.route(
    `**${pages}/board?*part=changes*`,
    async (route) => {
      const response = await route.fetch()
      fetched.abort()
      await isMoved
      await route.fulfill({ response })
      answered.abort()
    },
    { times: 1 },
  )
  const other = await card('01-triage', 'Meanwhile')
  await isFetched
  await tile(ada, three).getByRole('link').focus()
  await ada.keyboard.press('Space')
  await ada.keyboard.press('ArrowRight')
  await news.getByText('To do, place').waitFor()
  moved.abort()
  await isAnswered
  await browser.answersTaken(ada)
  await ada.keyboard.press('ArrowRight')
  await news.getByText('In progress, place 1 of 1.').waitFor()
  await ada.keyboard.press('Escape')
  await tile(ada, other).waitFor()
  t.same(await numbersIn('01-triage'), [two, three, other])
  await desk.request('DELETE', `${tree}/board/01-triage/${other}`)
  await tile(ada, other).waitFor({ state: 'detached' })
})

t.test('on a phone a long press picks up a card, and a swipe scrolls', async (t) => {
  await phone.goto(`${pages}/board`)
  const touch = await phone.context().newCDPSession(phone)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [at] : [] })
  const [upper, lower] = [await middleOf(tile(phone, two)), await middleOf(tile(phone, three))]
  await send('touchStart', upper)
  await phone.locator('.ghost').waitFor()
  await send('touchMove', { x: lower.x, y: lower.y + 30 })
  await send('touchEnd')
  await untilShown(phone, 'Triage', [three, two])
  await desk.eventually(async () => (await numbersIn('01-triage')).join() === [three, two].join())
  const swiped = await middleOf(tile(phone, three))
  await send('touchStart', swiped)
  await send('touchMove', { x: swiped.x - 100, y: swiped.y })
  await send('touchMove', { x: swiped.x - 200, y: swiped.y })
  await send('touchEnd')
  await desk.eventually(() => phone.evaluate<boolean>('document.getElementById("board").scrollLeft > 50'))
  t.equal(await phone.locator('.ghost').count(), 0)
})

t.test('a move that fails is undone, with a message', async (t) => {
  const gone = await card('02-todo', 'Gone')
  await ada.goto(`${pages}/board`)
  browser.expect(ada, /status of 404/)
  await tile(ada, gone).getByRole('link').focus()
  await ada.keyboard.press('Space')
  await desk.request('DELETE', `${tree}/board/02-todo/${gone}`)
  await ada.keyboard.press('ArrowRight')
  await ada.keyboard.press('Enter')
  await ada.locator('#said').getByText('There is no card').waitFor()
  await tile(ada, gone).waitFor({ state: 'detached' })
  t.same(await shownIn(ada, 'To do'), await numbersIn('02-todo').then((numbers) => numbers.map(String)))
})

t.test('cards are filtered by words, label and assignee, and the address keeps the filter', async (t) => {
  await ada.goto(`${pages}/board`)
  await ada.getByLabel('Label').selectOption('bug')
  t.same([await shownIn(ada, 'Triage'), await shownIn(ada, 'To do')], [[], [one, four].map(String)])
  t.equal(await ada.locator('#column-02-todo .count').textContent(), '2')
  await ada.getByRole('search', { name: 'Cards' }).getByLabel('Assigned to').selectOption('Unassigned')
  t.same(await shownIn(ada, 'To do'), [String(four)])
  t.equal(await ada.locator('#column-02-todo .count').textContent(), '1 of 2')
  await ada.getByLabel('Filter cards').fill('FOU')
  await ada.reload()
  t.match(ada.url(), /\?label=bug&assignee=-&q=FOU$/)
  t.same([await shownIn(ada, 'Triage'), await shownIn(ada, 'To do')], [[], [String(four)]])
  const late = await card('02-todo', 'Fourteen', 'labels: [bug]\n')
  await untilShown(ada, 'To do', [four, late])
})

t.test('changing a field on the page changes that field of the file and nothing else', async (t) => {
  await ada.goto(`${pages}/board/${two}`)
  const before = await fileOf('01-triage', two)
  // Somebody else writes to the card after the page has read it and before it writes.
  let isRaced = false
  browser.expect(ada, /status of 409/)
  await ada.route(`**${tree}/board/**`, async (route) => {
    const isFirst = !isRaced && route.request().method() === 'PUT'
    isRaced ||= isFirst
    const body = before.replace('Text of Two.', 'Another text.')
    if (isFirst) await desk.request('PUT', `${tree}/board/01-triage/${two}`, { key: grace.key, body })
    await route.continue()
  })
  await ada.getByLabel('Priority').selectOption('urgent')
  await ada.locator('#said').getByText('Saved.').waitFor()
  await ada.unrouteAll({ behavior: 'wait' })
  await ada.getByLabel('Labels').fill('late, or not')
  await ada.getByLabel('Labels').press('Enter')
  await ada.locator('.chips').getByText('late, or not').waitFor()
  await ada.getByLabel('Assignees').selectOption('Scout')
  await ada.getByRole('button', { name: 'Remove Scout' }).waitFor()
  await ada.getByLabel('Blocked by').fill(String(one))
  await ada.getByLabel('Blocked by').press('Enter')
  await ada.getByRole('button', { name: `Remove card ${one}` }).waitFor()
  await ada.getByRole('button', { name: 'Remove tides' }).click()
  await ada.getByRole('button', { name: 'Remove tides' }).waitFor({ state: 'detached' })
  const own = (text: string) => text.slice(text.indexOf('# Why'))
  t.equal(
    own(await fileOf('01-triage', two)),
    own(before)
      .replace('Text of Two.', 'Another text.')
      .replace('priority: low # for now', 'priority: urgent # for now')
      .replace(
        'labels:\n  - tides\n',
        `labels: ["late, or not"]\nassignees: [Scout]\nblocked-by: [${one}]\n`,
      ),
  )
  await ada.getByLabel('Column').selectOption('In progress')
  await ada.locator('.card-topline').getByText('In progress').waitFor()
  t.same(await numbersIn('03-in-progress'), [two])
  browser.expect(ada, /status of 422/)
  await ada.getByLabel('Blocked by').fill('nothing')
  await ada.getByLabel('Blocked by').press('Enter')
  const problem = ada.getByRole('alert').getByText('Enter a card number.')
  await problem.waitFor()
  const changed = (await fileOf('03-in-progress', two)).replace('Another text.', 'A third text.')
  await desk.request('PUT', `${tree}/board/03-in-progress/${two}`, { key: grace.key, body: changed })
  await ada.getByText('A third text.').waitFor()
  t.ok(await problem.isVisible(), 'the message stays when the page is updated')
  await ada.getByLabel('Blocked by').fill(String(three))
  await ada.getByLabel('Blocked by').press('Enter')
  await ada.getByRole('button', { name: `Remove card ${three}` }).waitFor()
  await problem.waitFor({ state: 'detached' })
})

t.test(
  'fields changed before the card’s script has loaded are saved once the script has loaded',
  async (t) => {
    const early = await card('02-todo', 'Early', 'priority: low\n')
    const changed = new AbortController()
    await ada.route(/card-\w+\.js$/, async (route) => {
      if (!changed.signal.aborted) await once(changed.signal, 'abort')
      await route.continue()
    })
    await ada.goto(`${pages}/board/${early}`)
    await ada.getByLabel('Priority').selectOption('high')
    await ada.getByLabel('Column').selectOption('In progress')
    await ada.getByLabel('Assignees').selectOption('Scout')
    await ada.getByLabel('Labels').pressSequentially('so')
    const body = (await fileOf('02-todo', early)).replace('Text of Early.', 'Meanwhile.')
    await desk.request('PUT', `${tree}/board/02-todo/${early}`, { key: grace.key, body })
    await ada.getByText('Meanwhile.').waitFor()
    changed.abort()
    await ada.unrouteAll({ behavior: 'wait' })
    await ada.getByRole('button', { name: 'Remove Scout' }).waitFor()
    await ada.locator('.card-topline').getByText('In progress').waitFor()
    await ada.getByLabel('Labels').pressSequentially('on')
    await ada.getByLabel('Labels').blur()
    await ada.getByRole('button', { name: 'Remove soon' }).waitFor()
    t.match(
      await fileOf('03-in-progress', early),
      /priority: high\nassignees: \[Scout\]\nlabels: \[soon\]\n[\s\S]*Meanwhile\./,
    )

    // Otherwise a browser restores the fields as they were when the page was left.
    await ada.goto(`${pages}/board`)
    const lower = (await fileOf('03-in-progress', early)).replace('priority: high', 'priority: low')
    await desk.request('PUT', `${tree}/board/03-in-progress/${early}`, { key: grace.key, body: lower })
    await ada.goBack()
    await ada.getByLabel('Status').selectOption('Draft')
    await ada.locator('#said').getByText('Saved.').waitFor()
    t.match(await fileOf('03-in-progress', early), /priority: low\n/)
  },
)

t.test('a field that cannot be saved returns to its former value, with the reason', async (t) => {
  const kept = await card('02-todo', 'Kept', 'priority: low\n')
  await ada.goto(`${pages}/board/${kept}`)
  await ada.route(`**${tree}/board/**`, (route) =>
    route.request().method() === 'PUT' ? route.abort('connectionreset') : route.continue(),
  )
  browser.expect(ada, /ERR_|failed/)
  await ada.getByLabel('Priority').selectOption('urgent')
  await ada.locator('#card-fields').getByRole('alert').getByText('The server cannot be reached').waitFor()
  await ada.locator('#card-fields:not([aria-busy])').waitFor()
  await ada.unrouteAll({ behavior: 'wait' })
  t.equal(await ada.getByLabel('Priority').inputValue(), 'low')
  t.equal(await ada.locator('#card-fields').getByRole('alert').count(), 1)
})

t.test('answering a question on its page closes it', async (t) => {
  const question = await card('02-todo', 'Which unit?', 'kind: question\n')
  await phone.goto(`${pages}/board/${question}`)
  await phone.getByRole('textbox', { name: 'Answer it' }).fill('Metres')
  await phone.getByLabel('Column').selectOption({ label: 'In progress' })
  await phone.locator('.card-topline').getByText('In progress').waitFor()
  t.equal(
    await phone.getByRole('textbox', { name: 'Answer it' }).inputValue(),
    'Metres',
    'an answer begun stays',
  )
  await phone.getByRole('button', { name: 'Answer and close' }).click()
  await phone.locator('.answered').getByText('Metres').waitFor()
  t.match(await fileOf('04-done', question), /kind: question\nresolution: Metres\nstatus: closed\n/)
})

t.test(
  'an ask is raised, claimed and resolved, a question is answered by a click, and others see each step live',
  async (t) => {
    await Promise.all([ada.goto(`${pages}/asks`), phone.goto(`${pages}/asks`)])
    await ada.getByText('New ask').click()
    await ada.getByLabel('Title').fill('Read the logs')
    await ada.getByLabel('Details').fill('Of Tuesday, @Grace Hopper')
    await ada.locator('#new-ask').getByLabel('Grace Hopper').check()
    await ada.getByRole('button', { name: 'Create ask' }).click()
    const item = (page: Page, title: string) => page.getByRole('article', { name: title })
    await item(phone, 'Read the logs').locator('.mention').getByText('@Grace Hopper').waitFor()
    await item(phone, 'Read the logs').getByRole('button', { name: 'Claim' }).click()
    await item(ada, 'Read the logs').getByText('claimed by Grace Hopper').waitFor()
    await item(phone, 'Read the logs').getByLabel('Result').fill('Nothing odd.')
    await item(phone, 'Read the logs').getByRole('button', { name: 'Resolve' }).click()
    await item(ada, 'Read the logs').getByText('Nothing odd.').waitFor()

    await ada.getByLabel('Title').fill('When shall we go?')
    await ada.getByLabel('Question: a person chooses an answer').check()
    await ada.getByLabel('Options').fill('Friday, early\nMonday')
    await ada.getByRole('button', { name: 'Create ask' }).click()
    await item(phone, 'When shall we go?').getByRole('button', { name: 'Friday, early' }).click()
    await phone.getByRole('dialog').getByRole('button', { name: 'Answer' }).click()
    await item(ada, 'When shall we go?').locator('.answered').getByText('Friday, early').waitFor()
    const { json } = await desk.request('GET', '/api/asks?state=resolved', { key: scout.key })
    t.match(json.asks, [{ chosenOption: 'Friday, early' }, { resolution: 'Nothing odd.' }])
  },
)

t.test('an ask’s assignees follow others’ changes, and its list stays open', async (t) => {
  const { json } = await desk.request('POST', '/api/asks', {
    key: grace.key,
    body: { project: 'general', title: 'Who goes?' },
  })
  const assign = (assignees: string[]) =>
    desk.request('PUT', `/api/asks/${json.askId}/assignees`, { key: grace.key, body: { assignees } })
  await ada.goto(`${pages}/asks`)
  const item = ada.getByRole('article', { name: 'Who goes?' })
  await item.getByText('Assignees').click()
  await assign(['Scout'])
  await item.locator('.byline').getByText('Scout').waitFor()
  t.ok(await item.getByLabel('Scout').isChecked())
  t.ok(await item.getByLabel('Grace Hopper').isVisible(), 'the list stays open')
  await item.getByLabel('Grace Hopper').check()
  await assign([])
  await item.locator('.byline').getByText('Scout').waitFor({ state: 'detached' })
  t.same(
    [await item.getByLabel('Scout').isChecked(), await item.getByLabel('Grace Hopper').isChecked()],
    [true, true],
    'the reader’s own choice stays',
  )
})

t.test(
  'text half written when a session ends is restored after signing in, for its writer alone',
  async (t) => {
    const people = ['Linus', 'Mary'].map((name) => desk.addMember({ name, type: 'human' }, 'general'))
    const [linus, mary] = [await people[0]!, await people[1]!]
    const draft = await desk.request('PUT', `${tree}/drafts/news.md`, { body: '# News\n\nText.\n' })
    const post = (await desk.request('POST', `${draft.json.path}/_publish`)).json
    await desk.request('POST', `/v1/posts/${post.id}/comments`, { body: { body: 'First' } })
    const postPage = new URL(post.url).pathname
    const asking = await browser.person(desk, linus)
    t.teardown(() => asking.context().close())
    const talking = await asking.context().newPage()
    await Promise.all([asking.goto(`${pages}/asks`), talking.goto(postPage)])
    await asking.getByText('New ask').click()
    await asking.getByLabel('Title').fill('Half an ask')
    await asking.getByLabel('Question: a person chooses an answer').check()
    await asking.getByLabel('Options').fill('Yes\nNo')
    await asking.locator('#new-ask').getByLabel('Scout').check()
    await talking.getByLabel('Your comment').fill('Half a comment')
    await talking.getByText('Reply to Ada').click()
    await talking.getByLabel('Your reply').fill('Half a reply')
    browser.expect(asking, /status of 401/)
    await desk.workspace.signin.sessions.endAll(linus.member)
    await Promise.all([asking.waitForURL(/signin/), talking.waitForURL(/signin/)])

    const signIn = async (key: string) => {
      await asking.getByLabel('Your key').fill(key)
      await asking.keyboard.press('Enter')
      await asking.waitForURL(`**${pages}/asks`)
    }
    await signIn(mary.key)
    await asking.getByText('New ask').click()
    t.equal(await asking.getByLabel('Title').inputValue(), '')
    await desk.workspace.signin.sessions.endAll(mary.member)
    await asking.waitForURL(/signin/)
    await signIn(linus.key)
    await asking.getByLabel('Options').waitFor()
    t.equal(await asking.getByLabel('Title').inputValue(), 'Half an ask')
    t.equal(await asking.getByLabel('Options').inputValue(), 'Yes\nNo')
    t.ok(await asking.locator('#new-ask').getByLabel('Scout').isChecked())
    await talking.goto(postPage)
    await talking.getByLabel('Your reply').waitFor()
    t.equal(await talking.getByLabel('Your comment').inputValue(), 'Half a comment')
    t.equal(await talking.getByLabel('Your reply').inputValue(), 'Half a reply')
    await talking.getByRole('button', { name: 'Comment', exact: true }).click()
    await talking.getByRole('article').getByText('Half a comment').waitFor()
    await talking.reload()
    await talking.getByRole('article').getByText('Half a comment').waitFor()
    t.equal(await talking.getByLabel('Your comment').inputValue(), '')
  },
)

t.test('a goal typed before the page’s script has loaded is not lost to another’s change', async (t) => {
  const written = new AbortController()
  await ada.route(/goal-\w+\.js$/, async (route) => {
    if (!written.signal.aborted) await once(written.signal, 'abort')
    await route.continue()
  })
  await ada.goto(`${pages}/plan`)
  await ada.getByText('Set the goal').click()
  const goal = ada.getByRole('textbox', { name: 'The goal' })
  await goal.fill('Mine')
  written.abort()
  await ada.unrouteAll({ behavior: 'wait' })
  await desk.request('PUT', `${tree}/plan.md`, { key: grace.key, body: 'Theirs' })
  await ada.locator('#goal').getByText('Theirs').waitFor()
  t.equal(await goal.inputValue(), 'Mine')
  await desk.request('PUT', `${tree}/plan.md`, { key: grace.key, body: '' })
})

t.test('the goal is changed in place, and another’s change is not overwritten unseen', async (t) => {
  await ada.goto(`${pages}/plan`)
  await ada.getByText('Set the goal').click()
  await ada.getByRole('textbox', { name: 'The goal' }).fill('Mine')
  await desk.request('PUT', `${tree}/plan.md`, { key: grace.key, body: 'Theirs' })
  await ada.locator('#goal').getByText('Theirs').waitFor()
  t.equal(await ada.getByRole('textbox', { name: 'The goal' }).inputValue(), 'Mine')
  browser.expect(ada, /status of 409/)
  await ada.getByRole('button', { name: 'Save' }).click()
  await ada.getByRole('alert').getByText('Someone else has changed the goal').waitFor()
  await ada.getByRole('button', { name: 'Save' }).click()
  await ada.locator('#goal').getByText('Mine').waitFor()
  t.match((await desk.request('GET', `${tree}/plan.md`)).text, '## the goal\n\nMine\n')
})
