import { once } from 'node:events'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'
import {
  chooseAction,
  messageField,
  messagesWith,
  waitForRoom,
  waitUntilTrue,
} from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner, workspace } = chat
const grace = await chat.person('Grace Hopper', 'general')
const ada = await browser.openPageAs(chat, owner)
const phone = await browser.openPageAs(chat, grace, { window: 'phone' })

const unsent = (page: Page, words: string) => page.locator('.unsent').filter({ hasText: words })
const bodies = async (room: string) =>
  (await chat.page(owner, room, 'limit=100')).page.map(({ body }) => body).toReversed()
/** Sends by Enter on a laptop, and by the button on a phone, where Enter begins a new line. */
const send = (page: Page) =>
  page.context() === phone.context()
    ? page.getByRole('button', { name: 'Send' }).click()
    : messageField(page).press('Enter')
/** A room of its own for a test, open on the page. */
async function openRoom(...pages: Page[]): Promise<string> {
  const { _id: id } = await chat.room(owner, { members: [grace.member.id] })
  for (const page of pages) {
    await page.goto(`/rooms/${id}`)
    await waitForRoom(page)
  }
  return id
}

const writers = [
  { window: 'laptop', page: ada, other: grace },
  { window: 'phone', page: phone, other: owner },
] as const

for (const { window, page } of writers) {
  t.test(
    `messages sent quickly over a slow network are shown at once and arrive in order, on a ${window}`,
    async (t) => {
      const room = await openRoom(page)
      await messageField(page).fill('ready')
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 600,
        downloadThroughput: -1,
        uploadThroughput: -1,
      })
      // Measures from the key press until the message is on the page.
      const shownAfterMs = await page.evaluate<number[]>(`(async () => {
      const field = document.getElementById('message')
      const took = []
      for (let n = 1; n <= 8; n++) {
        field.value = 'Number ' + n
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))
        const start = performance.now()
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }))
        const shown = [...document.querySelectorAll('.unsent')].find((one) => one.textContent.includes('Number ' + n))
        const { top, bottom } = shown.getBoundingClientRect()
        if (top >= 0 && bottom <= innerHeight) took.push(performance.now() - start)
      }
      return took
    })()`)
      t.equal(shownAfterMs.length, 8, 'all are visible')
      t.ok(Math.max(...shownAfterMs) < 50, `shown after ${shownAfterMs.map(Math.round)} ms`)
      t.equal(await messageField(page).inputValue(), '')
      await checkAccessibility(t, page)
      await devtools.detach()
      await chat.eventually(async () => (await bodies(room)).length === 8)
      t.same(
        await bodies(room),
        [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `Number ${n}`),
      )
      await messagesWith(page, 'Number 8').waitFor()
      await unsent(page, 'Number').first().waitFor({ state: 'detached' })
      t.equal(await messagesWith(page, 'Number').count(), 8)
    },
  )
}

t.test('no message is lost or sent twice when connections fail', async (t) => {
  await ada.goto('/rooms/general')
  await waitForRoom(ada)
  browser.expectError(ada, /ERR_|failed/)
  await ada.route('**/messages', (route) => route.abort('connectionreset'), { times: 1 })
  await messageField(ada).fill('Are you there?')
  await messageField(ada).press('Enter')
  await messagesWith(ada, 'Are you there?').waitFor()
  await ada.route(
    '**/messages',
    async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    },
    { times: 1 },
  )
  await messageField(ada).fill('Or are you not?')
  await messageField(ada).press('Enter')
  await messagesWith(ada, 'Or are you not?').waitFor()
  await messageField(ada).fill('Half written')
  await ada.goto('/rooms')
  await ada.goto('/rooms/general')
  // The script restores it when it has loaded.
  await waitUntilTrue(ada, 'document.getElementById("message").value !== ""')
  t.equal(await messageField(ada).inputValue(), 'Half written', 'leaving the page keeps the unsent message')
  await messageField(ada).fill('')
  await waitUntilTrue(ada, 'document.querySelector(".unsent") === null')
  t.equal(await messagesWith(ada, 'Are you there?').count(), 1)
  t.equal(await messagesWith(ada, 'Or are you not?').count(), 1)
})

t.test(
  'text typed before the page’s script has loaded is kept together with an earlier unsent message',
  async (t) => {
    await ada.goto('/rooms/general')
    await messageField(ada).fill('Left before')
    const written = new AbortController()
    await ada.route(/room-\w+\.js$/, async (route) => {
      if (!written.signal.aborted) await once(written.signal, 'abort')
      await route.continue()
    })
    await ada.reload({ waitUntil: 'load' })
    await messageField(ada).fill('Written now')
    await ada.getByRole('button', { name: 'Send' }).click()
    written.abort()
    await ada.unrouteAll({ behavior: 'wait' })
    await waitUntilTrue(ada, 'document.getElementById("message").value !== "Written now"')
    t.equal(await messageField(ada).inputValue(), 'Left before\nWritten now')
    t.equal(new URL(ada.url()).search, '', 'the text is not in the address')
    await ada.reload()
    await waitUntilTrue(ada, 'document.getElementById("message").value !== ""')
    t.equal(await messageField(ada).inputValue(), 'Left before\nWritten now')
    await messageField(ada).fill('')
  },
)

t.test(
  'a member whose session ends signs in again and finds the half-written text; others do not see it',
  async (t) => {
    const linus = await chat.person('Linus', 'general')
    const page = await browser.openPageAs(chat, linus)
    t.teardown(() => page.context().close())
    await page.goto('/rooms/general')
    await waitForRoom(page)
    await messageField(page).fill('Said by the button')
    await page.getByRole('button', { name: 'Send' }).click()
    await messagesWith(page, 'Said by the button').waitFor()
    await chooseAction(page, 'Said by the button', 'Edit')
    await page.getByLabel('Your message').fill('Changed by half')
    await messageField(page).fill('For nobody else')
    browser.expectError(page, /status of 401/)
    await workspace.signin.sessions.endAll(linus.member)
    await page.waitForURL(/signin/)
    await page.getByLabel('Your key').fill(grace.key)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/rooms/general')
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'hidden' })
    t.equal(await messageField(page).inputValue(), '')
    t.equal(await page.getByLabel('Your message').count(), 0)
    // An open page would itself go to the sign-in page once it has no cookie, and abort this navigation.
    await page.goto('about:blank')
    await page.context().clearCookies()
    await page.goto('/rooms/general')
    await page.getByLabel('Your key').fill(linus.key)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/rooms/general')
    await page.getByLabel('Your message').waitFor()
    t.equal(await page.getByLabel('Your message').inputValue(), 'Changed by half')
    t.equal(await messageField(page).inputValue(), 'For nobody else')
    await page.getByRole('button', { name: 'Save' }).click()
    await messagesWith(page, 'Changed by half').waitFor()
    await page.reload()
    await waitUntilTrue(page, 'document.getElementById("message").value !== ""')
    t.equal(await page.getByLabel('Your message').count(), 0)
  },
)

for (const { window, page, other } of writers) {
  t.test(
    `on a ${window} messages written offline are sent once each when the connection returns`,
    async (t) => {
      const room = await openRoom(page)
      browser.expectError(page, /ERR_|failed/)
      const [name] = other.member.name.split(' ')
      await page.context().setOffline(true)
      await messageField(page).fill(`To @${name}, ${'é'.repeat(10)}`)
      await send(page)
      await messageField(page).fill('And more')
      await send(page)
      await unsent(page, `To @${name}`).getByText('Waiting for a connection').waitFor()
      await page.getByRole('status').filter({ hasText: 'You are offline' }).waitFor()
      await checkAccessibility(t, page)
      t.same(await bodies(room), [])
      await page.context().setOffline(false)
      await messagesWith(page, 'And more').waitFor()
      t.same(await bodies(room), [`To ${mention(other)}, ${'é'.repeat(10)}`, 'And more'])

      // The server stores it, and the response is lost.
      await page.route(
        '**/messages',
        async (route) => {
          await route.fetch()
          await route.abort('connectionreset')
        },
        { times: 1 },
      )
      await messageField(page).fill('Only once')
      await send(page)
      await waitUntilTrue(page, 'document.querySelector(".unsent") === null')
      t.equal((await bodies(room)).filter((body) => body === 'Only once').length, 1)

      // Any page that is open by then sends it.
      await page.route('**/messages', (route) => route.abort('connectionreset'))
      await messageField(page).fill('Sent from the next page')
      await send(page)
      await unsent(page, 'Sent from').getByText('Waiting for a connection').waitFor()
      await page.reload()
      await unsent(page, 'Sent from').waitFor()
      await page.goto('/members')
      await page.unrouteAll({ behavior: 'wait' })
      await chat.eventually(async () => (await bodies(room)).includes('Sent from the next page'))
      await page.goto(`/rooms/${room}`)
      await messagesWith(page, 'Sent from').waitFor()
      // The page before may have been left before it got the answer; then this one sends it once more.
      await unsent(page, 'Sent from').waitFor({ state: 'detached' })
      t.equal((await bodies(room)).filter((body) => body === 'Sent from the next page').length, 1)
    },
  )

  t.test(`on a ${window} a refused message shows why, and can be sent again or edited`, async (t) => {
    const room = await openRoom(page)
    browser.expectError(page, /status of 400/)
    await messageField(page).fill('x'.repeat(32_001))
    await send(page)
    const problem = page.getByRole('alert').filter({ hasText: 'Not sent.' })
    await problem.waitFor()
    await messageField(page).fill('Short')
    await send(page)
    await messagesWith(page, 'Short').waitFor()
    await checkAccessibility(t, page)
    await page.reload()
    await problem.waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await problem.waitFor()
    const edit = page.getByRole('button', { name: 'Edit' })
    if (window === 'phone') t.ok((await edit.boundingBox())!.height >= 44, 'a target for a thumb')
    await edit.click()
    await problem.waitFor({ state: 'detached' })
    t.equal((await messageField(page).inputValue()).length, 32_001)
    await messageField(page).fill('Changed')
    await send(page)
    await messagesWith(page, 'Changed').waitFor()
    t.same(await bodies(room), ['Short', 'Changed'])
  })

  t.test(`on a ${window} an unsent message is the same in all tabs`, async (t) => {
    const room = await openRoom(page)
    const second = await page.context().newPage()
    t.teardown(() => second.close())
    await second.goto(`/rooms/${room}`)
    await messageField(page).fill('Half a thou')
    await waitUntilTrue(second, 'document.getElementById("message").value === "Half a thou"')
    await messageField(second).fill('Half a thought')
    await waitUntilTrue(page, 'document.getElementById("message").value === "Half a thought"')
    await send(second)
    await waitUntilTrue(page, 'document.getElementById("message").value === ""')
  })

  t.test(
    `on a ${window} a refused reply is shown in the room if its thread has been closed meanwhile`,
    async (t) => {
      const room = await openRoom(page)
      browser.expectError(page, /status of 400/)
      const root = await chat.post(owner, room, 'Who goes?')
      await page.goto(`/rooms/${room}?thread=${root}`)
      await page.route('**/messages', async (route) => {
        await chat.remove(owner, room, root)
        await route.continue()
      })
      const reply = page.getByLabel('Reply', { exact: true })
      await reply.fill('I do')
      // The keys do nothing before the script of the page has started.
      await chat.eventually(async () => {
        await reply.press('Control+Enter')
        return (await reply.inputValue()) === ''
      })
      const problem = page.getByRole('alert').filter({ hasText: 'was deleted' })
      await problem.waitFor()
      await page.goto(`/rooms/${room}`)
      await problem.waitFor()
      await page.getByRole('button', { name: 'Delete' }).click()
      await problem.waitFor({ state: 'detached' })
      await page.unrouteAll({ behavior: 'wait' })
      t.same(await bodies(room), [])
    },
  )

  t.test(`on a ${window} a message unsent for a day is sent only when its author says so`, async (t) => {
    const room = await openRoom(page)
    browser.expectError(page, /ERR_|failed/)
    await page.route('**/messages', (route) => route.abort('connectionreset'))
    await messageField(page).fill('Of yesterday')
    await send(page)
    await unsent(page, 'Of yesterday').getByText('Waiting for a connection').waitFor()
    await page.clock.setFixedTime(chat.clock.now() + 25 * 3_600_000)
    await page.reload()
    await page.getByRole('alert').getByText('more than a day ago').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await browser.waitForResponses(page)
    t.same(await bodies(room), [])
    await page.getByRole('button', { name: 'Retry' }).click()
    await messagesWith(page, 'Of yesterday').waitFor()
    t.same(await bodies(room), ['Of yesterday'])
  })
}
