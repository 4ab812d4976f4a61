import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Request, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'
import { type ReceivedBytes, receivedBytes } from '../../../support/received-bytes.ts'

const maxBytesPerEvent = 5 * 1024
const cardCount = 1000
/** It is blocked by the card with the next number. */
const blockedCard = 5
const columns = ['01-triage', '02-todo', '03-in-progress', '04-done']
/** More documents than one list page shows. */
const documentCount = 505

const browser = await openBrowser(t)
const workroom = await openProjectFolder(t, {
  prepare(home) {
    for (let number = 1; number <= cardCount; number++) {
      const folder = join(home, 'projects/general/board', columns[number % columns.length]!)
      mkdirSync(folder, { recursive: true })
      const title = `Card ${number} of a long board`
      const fields = `labels: [tides]\nassignees: [Ada]\n${number === blockedCard ? `blocked-by: [${number + 1}]\n` : ''}`
      writeFileSync(
        join(folder, `${String(number).padStart(4, '0')}-card.md`),
        `---\n${fields}---\n# ${title}\n\nText.\n`,
      )
    }
    const write = (name: string) => {
      const path = join(home, 'projects/general/documents', `${name}.md`)
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, `# ${name}\n\nText.\n`)
    }
    for (let number = 1; number <= documentCount; number++) write(`Page ${number}`)
    for (const name of ['Setup', 'Tides', 'Winds', 'boats/Oars', 'boats/Sails']) write(`guides/${name}`)
  },
})
const grace = await workroom.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const ada = await browser.openPageAs(workroom, workroom.owner)
const general = '/v1/fs/projects/general'
/** A project with three cards and no documents, for what does not depend on their number. */
const pier = '/v1/fs/projects/pier'
await workroom.scan()
const asGrace = async (method: string, path: string, body?: unknown) => {
  const response = await workroom.request(method, path, {
    key: grace.key,
    ...(body !== undefined && { body }),
  })
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
}
await workroom.request('POST', '/v1/fs/projects', { body: { name: 'Pier' } })
const { projects } = workroom.workspace.stores
await projects.join(projects.find('pier')!, grace.member, 'member')
for (const title of ['First', 'Second', 'Third'])
  await asGrace('PUT', `${pier}/board/01-triage/new.md`, `# ${title}\n`)

const tile = (number: number) => ada.locator(`.card[data-number="${number}"]`)
/** Waits for an event with these words. Called before the write, since the event may come before its answer. */
const eventWith = (words: string) =>
  ada.waitForResponse(
    async (response) => response.url().includes('/v1/events') && (await response.text()).includes(words),
  )
const pending = new Set<Request>()
const noteEnd = (request: Request) => void pending.delete(request)
ada.on('request', (request) => pending.add(request))
ada.on('requestfinished', noteEnd)
ada.on('requestfailed', noteEnd)
/** Opens a page and waits until only its request for events is pending. */
async function openLive(path: string): Promise<void> {
  await ada.goto(path)
  await workroom.eventually(
    () =>
      workroom.workspace.events.live.waiterCount === 1 &&
      [...pending].every((request) => request.url().includes('/v1/events')),
  )
}
/** Waits until a page that was opened has put all its times into the reader's language, which it does in slices. */
const localized = (page: Page) =>
  page.locator('main time[datetime]:not([title], [data-show=due])').first().waitFor({ state: 'detached' })
/** Asserts that a long page, just opened in this window, lays out the small part of it that is visible. */
async function checkLaidOut(t: Test, where: string): Promise<void> {
  const [all, laidOut] = await ada.evaluate<[number, number]>(`(() => {
    const all = [...document.querySelectorAll('main *')]
    return [all.length, all.filter((one) => one.checkVisibility({ contentVisibilityAuto: true })).length]
  })()`)
  t.ok(all > 4000, `it is long: ${all} elements`)
  t.ok(laidOut < all / 4, `${where}, ${laidOut} elements of ${all} are laid out`)
}

type Event = [what: string, happen: () => Promise<unknown>, isShown: () => Promise<unknown>]
async function checkBytes(t: Test, [what, happen, isShown]: Event): Promise<ReceivedBytes> {
  const received = await receivedBytes(browser, ada, happen, isShown)
  t.ok(received.total <= maxBytesPerEvent, `${what} takes ${received}`)
  return received
}
/** Asserts that nothing of the page is fetched for a change that does not concern it. */
async function checkElsewhere(t: Test, path: string, title: string): Promise<void> {
  const isReported = eventWith(title)
  const received = await receivedBytes(
    browser,
    ada,
    () => asGrace('PUT', path, `# ${title}\n`),
    () => isReported,
  )
  t.equal(received.count(/^\/projects\//), 0, 'nothing is fetched for a change elsewhere')
}

t.test('each change of a board of 1,000 cards takes a few kilobytes', async (t) => {
  /** Each column of the board as text: its header with the count, and its cards. */
  const shape = () =>
    ada.evaluate<string[][]>(`[...document.querySelectorAll('.board .column')].map((column) =>
      [column.querySelector('header').textContent.replace(/\\s+/g, ' '),
        ...[...column.querySelectorAll('.card')].map(({ id, textContent }) => id + textContent.replace(/\\s+/g, ' '))])`)
  const board = '/projects/general/board'
  await browser.resize(ada, 'phone')
  await openLive(board)
  t.equal(await ada.locator('.card').count(), 750 + 50, 'of the cards that are done, the latest')
  await checkLaidOut(t, 'on a phone')
  await tile(501).scrollIntoViewIfNeeded()
  await tile(501).getByRole('link').focus()
  const onPhone: Event[] = [
    [
      'an edit',
      () => asGrace('PUT', `${general}/board/01-triage/4`, '# Changed\n'),
      () => tile(4).getByText('Changed').waitFor({ state: 'attached' }),
    ],
    [
      'a move within the column',
      () => asGrace('POST', `${general}/board/02-todo/501/_move`, { toColumn: '02-todo', after: 1 }),
      () =>
        ada.locator('#column-02-todo [data-number="1"] + [data-number="501"]').waitFor({ state: 'attached' }),
    ],
    [
      'a blocker that is done',
      () => asGrace('POST', `${general}/board/03-in-progress/6/_move`, { toColumn: 'done' }),
      () => tile(blockedCard).getByText('Blocked').waitFor({ state: 'detached' }),
    ],
    [
      'a new card',
      () => asGrace('PUT', `${general}/board/02-todo/new.md`, '# Quite new\n'),
      () => ada.locator('.card', { hasText: 'Quite new' }).waitFor({ state: 'attached' }),
    ],
  ]
  const onLaptop: Event[] = [
    [
      'a move to another column',
      () => asGrace('POST', `${general}/board/03-in-progress/10/_move`, { toColumn: '01-triage', before: 4 }),
      () =>
        ada
          .locator('#column-01-triage [data-number="10"] + [data-number="4"]')
          .waitFor({ state: 'attached' }),
    ],
    [
      'one that is not done after all',
      () => asGrace('POST', `${general}/board/done/999/_move`, { toColumn: '02-todo', after: 997 }),
      () => ada.locator('#column-02-todo .card[data-number="999"]').waitFor({ state: 'attached' }),
    ],
    [
      'a deletion',
      () => workroom.request('DELETE', `${general}/board/02-todo/9`),
      () => tile(9).waitFor({ state: 'detached' }),
    ],
  ]
  for (const event of onPhone) await checkBytes(t, event)
  await browser.resize(ada, 'laptop')
  for (const event of onLaptop) await checkBytes(t, event)
  await checkElsewhere(t, `${general}/docs/other.md`, 'Another document')
  t.equal(await ada.locator(':focus').getAttribute('href'), `${board}/501`, 'the focus stays')
  const live = await shape()
  await ada.reload()
  await checkLaidOut(t, 'on a laptop')
  await localized(ada)
  t.same(live, await shape(), 'the live board equals a freshly loaded one')
})

t.test(
  'changes do not take away a card held by key or finger, and are shown when it is dropped',
  async (t) => {
    const isHeldBack = async (words: string, number: number) => {
      const isReported = eventWith(words)
      await asGrace('PUT', `${pier}/board/01-triage/${number}`, `# ${words}\n`)
      await isReported
      await browser.waitForResponses(ada)
      t.equal(await tile(number).getByText(words).count(), 0, `${words}: held back`)
    }
    await browser.resize(ada, 'laptop')
    await ada.goto('/projects/pier/board')
    await tile(2).getByRole('link').focus()
    await ada.keyboard.press('Space')
    await ada.keyboard.press('ArrowDown')
    await isHeldBack('Meanwhile', 1)
    const received = await receivedBytes(
      browser,
      ada,
      () => ada.keyboard.press('Space'),
      () => tile(1).getByText('Meanwhile').waitFor(),
    )
    t.equal(received.count(/\/board$/), 0, 'the board is not fetched whole')
    t.match(await ada.locator('#board-announcement').textContent(), /^Dropped card 2/)

    await browser.resize(ada, 'phone')
    const touch = await ada.context().newCDPSession(ada)
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [at] : [] })
    const held = ada.locator('#column-01-triage .card').first()
    const number = (await held.getAttribute('data-number'))!
    const { x, y, width, height } = (await held.boundingBox())!
    const middle = { x: x + width / 2, y: y + height / 2 }
    await send('touchStart', middle)
    await ada.locator('.ghost').waitFor()
    await isHeldBack('Held up', 3)
    // Past the middle of the next card.
    await send('touchMove', { x: middle.x, y: middle.y + height * 1.3 })
    await send('touchEnd')
    await tile(3).getByText('Held up').waitFor()
    await ada.locator(`#column-01-triage .card:nth-child(2)[data-number="${number}"]`).waitFor()
    await touch.detach()
  },
)

t.test('archiving the project, and reopening it, is shown on an open board', async () => {
  await ada.goto('/projects/pier/board')
  await workroom.request('PATCH', '/v1/projects/pier', { body: { archived: true } })
  await ada.locator('.board:not([data-movable])').waitFor()
  await workroom.request('PATCH', '/v1/projects/pier', { body: { archived: false } })
  await ada.locator('.board[data-movable]').waitFor()
})

t.test('a document of 1 MB is fetched once, and each change of presence takes a few kilobytes', async (t) => {
  const body = `# Long\n\n${`${'Some words of prose. '.repeat(25)}\n\n`.repeat(2000)}`
  t.ok(body.length > 1_000_000)
  await workroom.request('PUT', `${general}/docs/long.md`, { body })
  await browser.resize(ada, 'phone')
  const isHereShown = ada.waitForResponse(/fragment=here/)
  const opened = await receivedBytes(
    browser,
    ada,
    () => ada.goto('/projects/general/docs/long'),
    () => isHereShown,
  )
  t.equal(opened.count(/\/docs\/long$/), 1, String(opened))
  const presence = `${general}/docs/long.md/_presence`
  const here = ada.getByRole('list', { name: 'Here now' }).getByText('Grace Hopper')
  await checkBytes(t, [
    'a reader’s arrival',
    () => asGrace('POST', `${presence}?kind=viewing`),
    () => here.waitFor({ state: 'attached' }),
  ])
  await browser.resize(ada, 'laptop')
  await checkBytes(t, [
    'a reader’s leaving',
    () => asGrace('POST', `${presence}?leave`),
    () => here.waitFor({ state: 'detached' }),
  ])
  await checkBytes(t, [
    'a link to it',
    () => asGrace('PUT', `${general}/docs/leads.md`, '# Leads there\n\nSee [[Long]].\n'),
    () =>
      ada
        .getByRole('region', { name: 'Linked from' })
        .getByText('Leads there')
        .waitFor({ state: 'attached' }),
  ])
})

t.test('each change of a list of 500 documents takes a few kilobytes', async (t) => {
  /** The rows, folders and note of a list of documents as text. */
  const shape = () =>
    ada.evaluate<string[]>(
      `[...document.querySelectorAll('#list :is(li:not(.folder), summary, .rest)')].map(({ id, textContent }) =>
        id + textContent.replace(/\\s+/g, ' '))`,
    )
  const row = (title: string) => ada.locator('#list li:not(.folder)', { hasText: title })
  const list = '/projects/general/docs'
  await browser.resize(ada, 'phone')
  await openLive(list)
  await checkLaidOut(t, 'on a phone')
  const inList: Event[] = [
    [
      'an edit',
      () => {
        workroom.clock.advance(1000)
        return asGrace('PUT', `${general}/docs/page-7.md`, '# Page 7\n\nChanged.\n')
      },
      () => ada.locator('#list .tree > [data-folder] + li', { hasText: 'Page 7' }).waitFor(),
    ],
    [
      'a new document',
      () => asGrace('PUT', `${general}/docs/new.md`, '# Quite new\n'),
      () => row('Quite new').waitFor({ state: 'attached' }),
    ],
    [
      'a deletion',
      () => workroom.request('DELETE', `${general}/docs/quite-new.md`),
      () => row('Quite new').waitFor({ state: 'detached' }),
    ],
  ]
  for (const event of inList) await checkBytes(t, event)
  await checkElsewhere(t, `${general}/board/02-todo/1`, 'Another card')
  const live = await shape()
  await browser.resize(ada, 'laptop')
  await ada.reload()
  await checkLaidOut(t, 'on a laptop')
  await localized(ada)
  t.same(live, await shape(), 'the live list equals a freshly loaded one')

  await openLive(`${list}?folder=guides`)
  const inFolder: Event[] = [
    [
      'one in a folder of the folder',
      () => asGrace('PUT', `${general}/docs/guides/boats/new.md`, '# Masts\n'),
      () => row('Masts').waitFor({ state: 'attached' }),
    ],
    [
      'a move',
      () => asGrace('POST', `${general}/docs/guides/boats/masts.md/_move`, { toFolder: 'guides' }),
      () => ada.locator('#list > div > .tree > li', { hasText: 'Masts' }).waitFor(),
    ],
  ]
  for (const event of inFolder) await checkBytes(t, event)
  await checkElsewhere(t, `${general}/board/02-todo/1`, 'Yet another card')
  const ofFolder = await shape()
  await ada.reload()
  await localized(ada)
  t.same(ofFolder, await shape(), 'the live list of a folder equals a freshly loaded one')
  await asGrace('PUT', `${general}/docs/guides/winds/first.md`, '# First of the winds\n')
  await row('First of the winds').waitFor({ state: 'attached' })
  t.match(await ada.locator('#list summary').allTextContents(), [/boats/, /winds/], 'a new folder is shown')
})

t.test('a change that could not be fetched at first is shown without another change', async (t) => {
  await ada.goto('/projects/pier/docs')
  browser.expectError(ada, /503|ERR_CONNECTION_REFUSED/)
  const failures = [
    (route: Route) => route.abort('connectionrefused'),
    (route: Route) => route.fulfill({ status: 503, body: 'Busy.' }),
  ]
  await ada.route(/part=changes|\/docs$/, (route) => failures.shift()?.(route) ?? route.continue())
  await asGrace('PUT', `${pier}/docs/late.md`, '# Shown late\n')
  await ada.getByRole('link', { name: 'Shown late' }).waitFor({ state: 'attached' })
  t.equal(failures.length, 0)
  await ada.unrouteAll()
})

t.test('an open list of documents fetches its changes once for each write', async (t) => {
  await asGrace('PUT', `${pier}/docs/written-0.md`, '# Written 0\n')
  await openLive('/projects/pier/docs')
  const writes = 4
  const write = async (number: number) => {
    await asGrace('PUT', `${pier}/docs/written-${number}.md`, `# Written ${number}\n`)
    await ada.getByRole('link', { name: `Written ${number}` }).waitFor()
  }
  const received = await receivedBytes(
    browser,
    ada,
    async () => {
      for (let number = 1; number < writes; number++) await write(number)
    },
    () => write(writes),
  )
  t.equal(received.count(/^\/projects\/pier\/docs\?.*part=changes/), writes, String(received))
  t.equal(received.count(/^\/projects\/pier\/docs$/), 0)
})
