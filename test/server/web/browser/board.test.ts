import { once } from 'node:events'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { openBoards } from '../../../support/board-pages.ts'

const { browser, workroom, ada, phone, newBoard } = await openBoards(t)

const cards = {
  One: 'labels: [bug]\nassignees: [Grace Hopper]\n',
  Two: 'labels: [tides]\n',
  Three: '',
  Four: 'labels: [bug]\n',
}
type Card = keyof typeof cards

/** A board with these cards in its first two columns. */
async function boardOf(triage: Card[], todo: Card[]) {
  const board = await newBoard()
  const numbers = { One: 0, Two: 0, Three: 0, Four: 0 }
  for (const title of triage) numbers[title] = await board.card('01-triage', title, cards[title])
  for (const title of todo) numbers[title] = await board.card('02-todo', title, cards[title])
  const { One: one, Two: two, Three: three, Four: four } = numbers
  return { ...board, one, two, three, four }
}

const cardWith = (page: Page, number: number) => page.locator(`.card[data-number="${number}"]:not(.ghost)`)
const list = (page: Page, title: string) => page.getByRole('list', { name: title, exact: true })
const shownIn = (page: Page, title: string): Promise<string[]> =>
  list(page, title).locator('.card:visible .card-number').allTextContents()
const middleOf = async (locator: Locator) => {
  const { x, y, width, height } = (await locator.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}
/** Waits until a column shows these cards in this order. */
const untilShown = (page: Page, title: string, numbers: number[]) =>
  workroom.eventually(async () => (await shownIn(page, title)).join() === numbers.join())

t.test('nothing within a card but its handle is painted as a layer of its own', async (t) => {
  const { pages, card } = await newBoard()
  const fields = 'labels: [bug, tides]\nassignees: [Ada, Grace Hopper]\ndue: 2001-02-03\npriority: high\n'
  await card('01-triage', 'One', fields)
  await ada.goto(`${pages}/board`)
  const layers = await ada.evaluate<string[]>(
    `[...document.querySelectorAll('.card *')].filter((element) => {
      const { position, overflow, opacity } = getComputedStyle(element)
      return position !== 'static' || overflow !== 'visible' || opacity !== '1'
    }).map(({ className }) => className)`,
  )
  t.same(layers, ['handle'])
})

t.test('a card is dragged with the mouse, and others see it in its new place', async (t) => {
  const { pages, numbersIn, one, three, four } = await boardOf(['One', 'Two'], ['Three', 'Four'])
  await Promise.all([ada.goto(`${pages}/board`), phone.goto(`${pages}/board`)])
  const [from, to] = [await middleOf(cardWith(ada, one)), await middleOf(cardWith(ada, four))]
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
  const { pages, numbersIn, one, two, three, four } = await boardOf(['Two'], ['Three', 'One', 'Four'])
  await ada.goto(`${pages}/board`)
  const link = cardWith(ada, three).getByRole('link')
  const announcement = ada.locator('#board-announcement')
  await link.focus()
  await ada.keyboard.press('Space')
  await announcement.getByText(`Picked up card ${three}, To do, place 1 of 3.`).waitFor()
  await ada.keyboard.press('ArrowDown')
  await announcement.getByText('To do, place 2 of 3.').waitFor()
  await ada.keyboard.press('ArrowRight')
  await announcement.getByText('In progress, place 1 of 1.').waitFor()
  await ada.keyboard.press('Escape')
  await announcement.getByText(`Move cancelled: card ${three} is back at To do, place 1 of 3.`).waitFor()
  t.same(await numbersIn('02-todo'), [three, one, four])
  for (const key of ['Space', 'ArrowLeft', 'ArrowDown', 'Space']) await ada.keyboard.press(key)
  await announcement.getByText(`Dropped card ${three}, Triage, place 2 of 2.`).waitFor()
  await cardWith(ada, three).locator('a:focus').waitFor()
  // It is announced before the server has answered.
  await workroom.eventually(async () => (await numbersIn('01-triage')).join() === [two, three].join())
})

t.test('changes fetched before a card was picked up do not take it away', async (t) => {
  const { pages, tree, card, numbersIn, two, three } = await boardOf(['Two', 'Three'], ['One', 'Four'])
  await ada.goto(`${pages}/board`)
  const announcement = ada.locator('#board-announcement')
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
  await cardWith(ada, three).getByRole('link').focus()
  await ada.keyboard.press('Space')
  await ada.keyboard.press('ArrowRight')
  await announcement.getByText('To do, place').waitFor()
  moved.abort()
  await isAnswered
  await browser.waitForResponses(ada)
  await ada.keyboard.press('ArrowRight')
  await announcement.getByText('In progress, place 1 of 1.').waitFor()
  await ada.keyboard.press('Escape')
  await cardWith(ada, other).waitFor()
  t.same(await numbersIn('01-triage'), [two, three, other])
  await workroom.request('DELETE', `${tree}/board/01-triage/${other}`)
  await cardWith(ada, other).waitFor({ state: 'detached' })
})

t.test('on a phone a long press picks up a card, and a swipe scrolls', async (t) => {
  const { pages, numbersIn, two, three } = await boardOf(['Two', 'Three'], ['One', 'Four'])
  await phone.goto(`${pages}/board`)
  const touch = await phone.context().newCDPSession(phone)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [at] : [] })
  const [upper, lower] = [await middleOf(cardWith(phone, two)), await middleOf(cardWith(phone, three))]
  await send('touchStart', upper)
  await phone.locator('.ghost').waitFor()
  await send('touchMove', { x: lower.x, y: lower.y + 30 })
  await send('touchEnd')
  await untilShown(phone, 'Triage', [three, two])
  await workroom.eventually(async () => (await numbersIn('01-triage')).join() === [three, two].join())
  const { x, y } = await middleOf(cardWith(phone, three))
  // At once: a finger that does not move for a while picks up the card.
  await Promise.all([
    send('touchStart', { x, y }),
    send('touchMove', { x: x - 100, y }),
    send('touchMove', { x: x - 200, y }),
    send('touchEnd'),
  ])
  await workroom.eventually(() => phone.evaluate<boolean>('document.getElementById("board").scrollLeft > 50'))
  t.equal(await phone.locator('.ghost').count(), 0)
})

t.test('a move that fails is undone, with a message', async (t) => {
  const { pages, tree, card, numbersIn } = await boardOf(['Two', 'Three'], ['One', 'Four'])
  const gone = await card('02-todo', 'Gone')
  await ada.goto(`${pages}/board`)
  browser.expectError(ada, /status of 404/)
  await cardWith(ada, gone).getByRole('link').focus()
  await ada.keyboard.press('Space')
  await workroom.request('DELETE', `${tree}/board/02-todo/${gone}`)
  await ada.keyboard.press('ArrowRight')
  await ada.keyboard.press('Enter')
  await ada.locator('#said').getByText('There is no card').waitFor()
  await cardWith(ada, gone).waitFor({ state: 'detached' })
  t.same(await shownIn(ada, 'To do'), await numbersIn('02-todo').then((numbers) => numbers.map(String)))
})

t.test('cards are filtered by words, label and assignee, and the address keeps the filter', async (t) => {
  const { pages, card, one, four } = await boardOf(['Two', 'Three'], ['One', 'Four'])
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
