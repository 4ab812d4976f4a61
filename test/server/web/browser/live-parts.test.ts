import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page, Request, Route } from 'playwright-core'
import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openProjectFolder } from '../../../support/project-folder.ts'
import { receivedBytes } from '../../../support/received-bytes.ts'

const maxBytesPerEvent = 5 * 1024
const cardCount = 1000
/** Each is blocked by the card with the next number. */
const blockedCards = [5, 45]
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
      const fields = `labels: [tides]\nassignees: [Ada]\n${blockedCards.includes(number) ? `blocked-by: [${number + 1}]\n` : ''}`
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
const tree = '/v1/fs/projects/general'
const board = '/projects/general/board'
await workroom.scan()

const tile = (page: Page, number: number) => page.locator(`.card[data-number="${number}"]`)
const asGrace = async (method: string, path: string, body?: unknown) => {
  const response = await workroom.request(method, `${tree}${path}`, {
    key: grace.key,
    ...(body !== undefined && { body }),
  })
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
}
/** Waits for an event with these words. Called before the write, since the event may come before its answer. */
const eventWith = (page: Page, words: string) =>
  page.waitForResponse(
    async (response) => response.url().includes('/v1/events') && (await response.text()).includes(words),
  )
const pending = new Set<Request>()
const noteEnd = (request: Request) => void pending.delete(request)
ada.on('request', (request) => pending.add(request))
ada.on('requestfinished', noteEnd)
ada.on('requestfailed', noteEnd)
/** Opens a list or a board, and waits until its script has started and only its request for events is pending. */
async function openLive(path: string): Promise<void> {
  await ada.goto(path)
  await ada
    .locator('#list [draggable="true"], #board-filter:not([hidden])')
    .first()
    .waitFor({ state: 'attached' })
  await workroom.eventually(
    () =>
      workroom.workspace.events.live.waiterCount === 1 &&
      [...pending].every((request) => request.url().includes('/v1/events')),
  )
}
/** Waits until the script of a board has started; before, its cards cannot be moved. */
const ready = (page: Page) => page.locator('#board-filter:not([hidden])').waitFor()
/** Waits until a page that was opened has put all its times into the reader's language, which it does in slices. */
const localized = (page: Page) =>
  page.locator('main time[datetime]:not([title], [data-show=due])').first().waitFor({ state: 'detached' })
/** Each column of the board as text: its header with the count, and its cards. */
const shape = (page: Page) =>
  page.evaluate<string[][]>(`[...document.querySelectorAll('.board .column')].map((column) =>
    [column.querySelector('header').textContent.replace(/\\s+/g, ' '),
      ...[...column.querySelectorAll('.card')].map(({ id, textContent }) => id + textContent.replace(/\\s+/g, ' '))])`)

// Each window changes cards of its own: their numbers are shifted by `by`.
for (const [window, by] of [
  ['phone', 40],
  ['laptop', 0],
] as const) {
  t.test(`each change of a board of 1,000 cards takes a few kilobytes, on a ${window}`, async (t) => {
    await browser.resize(ada, window)
    await openLive(board)
    t.equal(await ada.locator('.card').count(), 750 + 50, 'of the cards that are done, the latest')
    await tile(ada, 501 + by).scrollIntoViewIfNeeded()
    await tile(ada, 501 + by)
      .getByRole('link')
      .focus()
    const events: [what: string, happen: () => Promise<unknown>, isShown: () => Promise<unknown>][] = [
      [
        'an edit',
        () => asGrace('PUT', `/board/01-triage/${4 + by}`, '# Changed\n'),
        () =>
          tile(ada, 4 + by)
            .getByText('Changed')
            .waitFor({ state: 'attached' }),
      ],
      [
        'a move within the column',
        () => asGrace('POST', `/board/02-todo/${501 + by}/_move`, { toColumn: '02-todo', after: 1 + by }),
        () =>
          ada
            .locator(`#column-02-todo [data-number="${1 + by}"] + [data-number="${501 + by}"]`)
            .waitFor({ state: 'attached' }),
      ],
      [
        'a move to another column',
        () =>
          asGrace('POST', `/board/03-in-progress/${10 + by}/_move`, {
            toColumn: '01-triage',
            before: 4 + by,
          }),
        () =>
          ada
            .locator(`#column-01-triage [data-number="${10 + by}"] + [data-number="${4 + by}"]`)
            .waitFor({ state: 'attached' }),
      ],
      [
        'a blocker that is done',
        () => asGrace('POST', `/board/03-in-progress/${6 + by}/_move`, { toColumn: 'done' }),
        () =>
          tile(ada, 5 + by)
            .getByText('Blocked')
            .waitFor({ state: 'detached' }),
      ],
      [
        'one that is not done after all',
        () => asGrace('POST', `/board/done/${999 - by}/_move`, { toColumn: '02-todo', after: 997 - by }),
        () => ada.locator(`#column-02-todo .card[data-number="${999 - by}"]`).waitFor({ state: 'attached' }),
      ],
      [
        'a new card',
        () => asGrace('PUT', `/board/02-todo/new-${window}.md`, `# Quite new on a ${window}\n`),
        () => ada.locator('.card', { hasText: `Quite new on a ${window}` }).waitFor({ state: 'attached' }),
      ],
      [
        'a deletion',
        () => workroom.request('DELETE', `${tree}/board/02-todo/${9 + by}`),
        () => tile(ada, 9 + by).waitFor({ state: 'detached' }),
      ],
    ]
    for (const [what, happen, isShown] of events) {
      const received = await receivedBytes(browser, ada, happen, isShown)
      t.ok(received.total <= maxBytesPerEvent, `${what} takes ${received}`)
    }
    const isReported = eventWith(ada, `/other-${window}.md`)
    const elsewhere = await receivedBytes(
      browser,
      ada,
      () => asGrace('PUT', `/docs/other-${window}.md`, `# Other ${window}\n`),
      () => isReported,
    )
    t.equal(elsewhere.count(/^\/projects\//), 0, 'nothing is fetched for a change elsewhere')
    t.equal(await ada.locator(':focus').getAttribute('href'), `${board}/${501 + by}`, 'the focus stays')
    const live = await shape(ada)
    await ada.reload()
    await localized(ada)
    t.same(live, await shape(ada), 'the live board equals a freshly loaded one')
  })
}

t.test('changes do not take a picked-up card away, and are shown when it is dropped', async (t) => {
  await browser.resize(ada, 'laptop')
  await ada.goto(board)
  await ready(ada)
  await tile(ada, 12).getByRole('link').focus()
  await ada.keyboard.press('Space')
  await ada.keyboard.press('ArrowDown')
  const isReported = eventWith(ada, 'Meanwhile')
  await asGrace('PUT', '/board/01-triage/8', '# Meanwhile\n')
  await isReported
  await browser.waitForResponses(ada)
  t.equal(await tile(ada, 8).getByText('Meanwhile').count(), 0)
  const received = await receivedBytes(
    browser,
    ada,
    () => ada.keyboard.press('Space'),
    () => tile(ada, 8).getByText('Meanwhile').waitFor({ state: 'attached' }),
  )
  t.equal(received.count(/\/board$/), 0, 'the board is not fetched whole')
  t.match(await ada.locator('#board-announcement').textContent(), /^Dropped card 12/)
})

t.test('on a phone, changes do not take away a card held by a finger', async (t) => {
  await browser.resize(ada, 'phone')
  await ada.goto(board)
  await ready(ada)
  const touch = await ada.context().newCDPSession(ada)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [at] : [] })
  const held = ada.locator('#column-01-triage .card').first()
  const number = (await held.getAttribute('data-number'))!
  const { x, y, width, height } = (await held.boundingBox())!
  const middle = { x: x + width / 2, y: y + height / 2 }
  await send('touchStart', middle)
  await ada.locator('.ghost').waitFor()
  const isReported = eventWith(ada, 'Held up')
  await asGrace('PUT', '/board/01-triage/16', '# Held up\n')
  await isReported
  await browser.waitForResponses(ada)
  t.equal(await tile(ada, 16).getByText('Held up').count(), 0)
  // Past the middle of the next card.
  await send('touchMove', { x: middle.x, y: middle.y + height * 1.3 })
  await send('touchEnd')
  await tile(ada, 16).getByText('Held up').waitFor({ state: 'attached' })
  await ada
    .locator(`#column-01-triage .card:nth-child(2)[data-number="${number}"]`)
    .waitFor({ state: 'attached' })
  await touch.detach()
})

t.test('archiving the project, and reopening it, is shown on an open board', async () => {
  await ada.goto(board)
  await workroom.request('PATCH', '/v1/projects/general', { body: { archived: true } })
  await ada.locator('.board:not([data-movable])').waitFor()
  await workroom.request('PATCH', '/v1/projects/general', { body: { archived: false } })
  await ada.locator('.board[data-movable]').waitFor()
})

for (const window of ['phone', 'laptop'] as const) {
  t.test(
    `a document of 1 MB is fetched once, and each change of presence takes a few kilobytes, on a ${window}`,
    async (t) => {
      await browser.resize(ada, window)
      const body = `# Long ${window}\n\n${'Some words of prose, and a [link](https://example.org/).\n\n'.repeat(17_500)}`
      await workroom.request('PUT', `${tree}/docs/long-${window}.md`, { body })
      const page = `/projects/general/docs/long-${window}`
      const isHereShown = ada.waitForResponse(/fragment=here/)
      const opened = await receivedBytes(
        browser,
        ada,
        () => ada.goto(page),
        () => isHereShown,
      )
      t.equal(opened.count(/\/docs\/long-\w+$/), 1, String(opened))
      const presence = `/docs/long-${window}.md/_presence`
      const here = ada.getByRole('list', { name: 'Here now' }).getByText('Grace Hopper')
      const comes = await receivedBytes(
        browser,
        ada,
        () => asGrace('POST', `${presence}?kind=viewing`),
        () => here.waitFor({ state: 'attached' }),
      )
      t.ok(comes.total <= maxBytesPerEvent, `a reader’s arrival takes ${comes}`)
      const goes = await receivedBytes(
        browser,
        ada,
        () => asGrace('POST', `${presence}?leave`),
        () => here.waitFor({ state: 'detached' }),
      )
      t.ok(goes.total <= maxBytesPerEvent, `a reader’s leaving takes ${goes}`)
      const linked = await receivedBytes(
        browser,
        ada,
        () => asGrace('PUT', `/docs/other-${window}.md`, `# Other ${window}\n\nSee [[Long ${window}]].\n`),
        () =>
          ada
            .getByRole('region', { name: 'Linked from' })
            .getByText(`Other ${window}`)
            .waitFor({ state: 'attached' }),
      )
      t.ok(linked.total <= maxBytesPerEvent, `a link to it takes ${linked}`)
    },
  )
}

/** The rows, folders and note of a list of documents as text. */
const listShape = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('#list :is(li:not(.folder), summary, .rest)')].map(({ id, textContent }) =>
      id + textContent.replace(/\\s+/g, ' '))`,
  )

for (const window of ['phone', 'laptop'] as const) {
  t.test(`only the visible part of a long board or list is laid out, on a ${window}`, async (t) => {
    // Resizing a window would lay out its whole page.
    const page = await browser.openPageAs(workroom, workroom.owner, { window })
    t.teardown(() => page.context().close())
    for (const path of [`${board}?done=all`, '/projects/general/docs']) {
      await page.goto(path)
      const all = await page.locator('main *').count()
      t.ok(all > 4000, `${path} is long`)
      const laidOut = await page.evaluate<number>(
        `[...document.querySelectorAll('main *')].filter((one) =>
          one.checkVisibility({ contentVisibilityAuto: true })).length`,
      )
      t.ok(laidOut < all / 4, `${path}: ${laidOut} elements of ${all}`)
    }
  })
}

type Happening = [what: string, happen: () => Promise<unknown>, isShown: () => Promise<unknown>]

for (const window of ['phone', 'laptop'] as const) {
  t.test(`each change of a list of 500 documents takes a few kilobytes, on a ${window}`, async (t) => {
    await browser.resize(ada, window)
    const row = (title: string) => ada.locator('#list li:not(.folder)', { hasText: title })
    const list = '/projects/general/docs'
    const happenings: [path: string, happenings: Happening[]][] = [
      [
        list,
        [
          [
            'an edit',
            () => {
              workroom.clock.advance(1000)
              return asGrace('PUT', '/docs/page-7.md', `# Page 7\n\nChanged by ${window}.\n`)
            },
            () => ada.locator('#list .tree > [data-folder] + li', { hasText: 'Page 7' }).waitFor(),
          ],
          [
            'a new document',
            () => asGrace('PUT', '/docs/new.md', `# Quite new on a ${window}\n`),
            () => row(`Quite new on a ${window}`).waitFor({ state: 'attached' }),
          ],
          [
            'a deletion',
            () => workroom.request('DELETE', `${tree}/docs/quite-new-on-a-${window}.md`),
            () => row(`Quite new on a ${window}`).waitFor({ state: 'detached' }),
          ],
        ],
      ],
      [
        `${list}?folder=guides`,
        [
          [
            'one in a folder of the folder',
            () => asGrace('PUT', '/docs/guides/boats/new.md', `# Masts of a ${window}\n`),
            () => row(`Masts of a ${window}`).waitFor({ state: 'attached' }),
          ],
          [
            'a move',
            () => asGrace('POST', `/docs/guides/boats/masts-of-a-${window}.md/_move`, { toFolder: 'guides' }),
            () => ada.locator('#list > div > .tree > li', { hasText: `Masts of a ${window}` }).waitFor(),
          ],
        ],
      ],
    ]
    for (const [path, events] of happenings) {
      await openLive(path)
      for (const [what, happen, isShown] of events) {
        const received = await receivedBytes(browser, ada, happen, isShown)
        t.ok(received.total <= maxBytesPerEvent, `${what} takes ${received}`)
      }
      const title = `Card 1 by ${window} at ${path}`
      const isReported = eventWith(ada, title)
      const elsewhere = await receivedBytes(
        browser,
        ada,
        () => asGrace('PUT', '/board/02-todo/1', `# ${title}\n`),
        () => isReported,
      )
      t.equal(elsewhere.count(/^\/projects\//), 0, 'nothing is fetched for a change elsewhere')
      const live = await listShape(ada)
      await ada.reload()
      await localized(ada)
      t.same(live, await listShape(ada), 'the live list equals a freshly loaded one')
    }
    await asGrace('PUT', `/docs/guides/${window}/first.md`, `# First of a ${window}\n`)
    await row(`First of a ${window}`).waitFor({ state: 'attached' })
    t.match(
      await ada.locator('#list summary').allTextContents(),
      [/boats/, new RegExp(window)],
      'a new folder is shown, too',
    )
  })
}

t.test('a change that could not be fetched at first is shown without another change', async (t) => {
  await ada.goto('/projects/general/docs')
  browser.expectError(ada, /503|ERR_CONNECTION_REFUSED/)
  const failures = [
    (route: Route) => route.abort('connectionrefused'),
    (route: Route) => route.fulfill({ status: 503, body: 'Busy.' }),
  ]
  await ada.route(/part=changes|\/docs$/, (route) => failures.shift()?.(route) ?? route.continue())
  await asGrace('PUT', '/docs/late.md', '# Shown late\n')
  await ada.getByRole('link', { name: 'Shown late' }).waitFor({ state: 'attached' })
  t.equal(failures.length, 0)
  await ada.unrouteAll()
})

t.test('an open list of documents fetches its changes once for each write', async (t) => {
  await openLive('/projects/general/docs')
  const writes = 4
  const write = async (number: number) => {
    await asGrace('PUT', `/docs/written-${number}.md`, `# Written ${number}\n`)
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
  t.equal(received.count(/^\/projects\/general\/docs\?.*part=changes/), writes, String(received))
  t.equal(received.count(/^\/projects\/general\/docs$/), 0)
})
