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
/** Sends by the button of a phone, where Enter begins a new line. */
const sendFrom = (page: Page) => page.getByRole('button', { name: 'Send' }).tap()
/** A room of its own for a test, open on the page. */
async function openRoom(page: Page): Promise<string> {
  const { _id: id } = await chat.room(owner, { members: [grace.member.id] })
  await page.goto(`/rooms/${id}`)
  await waitForRoom(page)
  return id
}

t.test('messages sent quickly over a slow network are shown at once and arrive in order', async (t) => {
  const room = await openRoom(phone)
  await messageField(phone).fill('ready')
  const devtools = await phone.context().newCDPSession(phone)
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 600,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
  /** Sends messages, and counts those that are in view before the browser does anything else. */
  const sendFour = (first: number) =>
    phone.evaluate<number>(`(() => {
      const field = document.getElementById('message')
      let count = 0
      for (let n = ${first}; n < ${first + 4}; n++) {
        field.value = 'Number ' + n
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))
        field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }))
        const shown = [...document.querySelectorAll('.unsent')].find((one) => one.textContent.includes('Number ' + n))
        const { top, bottom } = shown.getBoundingClientRect()
        if (top >= 0 && bottom <= innerHeight) count += 1
      }
      return count
    })()`)
  t.equal(await sendFour(1), 4, 'all are visible at once on a phone')
  await browser.resize(phone, 'laptop')
  t.equal(await sendFour(5), 4, 'and on a laptop')
  await browser.resize(phone, 'phone')
  t.equal(await messageField(phone).inputValue(), '')
  await checkAccessibility(t, phone)
  await devtools.detach()
  await chat.eventually(async () => (await bodies(room)).length === 8)
  t.same(
    await bodies(room),
    [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `Number ${n}`),
  )
  await messagesWith(phone, 'Number 8').waitFor()
  await unsent(phone, 'Number').first().waitFor({ state: 'detached' })
  t.equal(await messagesWith(phone, 'Number').count(), 8)
})

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

t.test('messages written offline are sent once each when the connection returns', async (t) => {
  const room = await openRoom(phone)
  browser.expectError(phone, /ERR_|failed/)
  await phone.context().setOffline(true)
  await messageField(phone).fill(`To @Ada, ${'é'.repeat(10)}`)
  await sendFrom(phone)
  await messageField(phone).fill('And more')
  await sendFrom(phone)
  await unsent(phone, 'To @Ada').getByText('Waiting for a connection').waitFor()
  await phone.getByRole('status').filter({ hasText: 'You are offline' }).waitFor()
  await checkAccessibility(t, phone)
  t.same(await bodies(room), [])
  await phone.context().setOffline(false)
  await messagesWith(phone, 'And more').waitFor()
  t.same(await bodies(room), [`To ${mention(owner)}, ${'é'.repeat(10)}`, 'And more'])

  // Any page that is open by then sends it.
  await phone.route('**/messages', (route) => route.abort('connectionreset'))
  await messageField(phone).fill('Sent from the next page')
  await sendFrom(phone)
  await unsent(phone, 'Sent from').getByText('Waiting for a connection').waitFor()
  await phone.reload()
  await unsent(phone, 'Sent from').waitFor()
  await phone.goto('/members')
  await phone.unrouteAll({ behavior: 'wait' })
  await chat.eventually(async () => (await bodies(room)).includes('Sent from the next page'))
  await phone.goto(`/rooms/${room}`)
  await messagesWith(phone, 'Sent from').waitFor()
  // The page before may have been left before it got the answer; then this one sends it once more.
  await unsent(phone, 'Sent from').waitFor({ state: 'detached' })
  t.equal((await bodies(room)).filter((body) => body === 'Sent from the next page').length, 1)
})

t.test('a refused message shows why, and can be sent again or edited', async (t) => {
  const room = await openRoom(phone)
  browser.expectError(phone, /status of 400/)
  await messageField(phone).fill('x'.repeat(32_001))
  await sendFrom(phone)
  const problem = phone.getByRole('alert').filter({ hasText: 'Not sent.' })
  await problem.waitFor()
  await messageField(phone).fill('Short')
  await sendFrom(phone)
  await messagesWith(phone, 'Short').waitFor()
  await checkAccessibility(t, phone)
  await phone.reload()
  await problem.waitFor()
  await phone.getByRole('button', { name: 'Retry' }).tap()
  await problem.waitFor()
  const edit = phone.getByRole('button', { name: 'Edit' })
  t.ok((await edit.boundingBox())!.height >= 44, 'a target for a thumb')
  await edit.tap()
  await problem.waitFor({ state: 'detached' })
  t.equal((await messageField(phone).inputValue()).length, 32_001)
  await messageField(phone).fill('Changed')
  await sendFrom(phone)
  await messagesWith(phone, 'Changed').waitFor()
  t.same(await bodies(room), ['Short', 'Changed'])
})

t.test('an unsent message is the same in all tabs', async (t) => {
  const room = await openRoom(ada)
  const second = await ada.context().newPage()
  t.teardown(() => second.close())
  await second.goto(`/rooms/${room}`)
  await waitForRoom(second)
  const holds = (page: Page, text: string) =>
    waitUntilTrue(page, `document.getElementById("message").value === ${JSON.stringify(text)}`)
  await messageField(ada).fill('Half a thou')
  await holds(second, 'Half a thou')
  await messageField(second).fill('Half a thought')
  await holds(ada, 'Half a thought')
  await messageField(second).press('Enter')
  await holds(ada, '')
})

t.test('a refused reply is shown in the room if its thread has been closed meanwhile', async (t) => {
  const { _id: room } = await chat.room(owner)
  browser.expectError(ada, /status of 400/)
  const root = await chat.post(owner, room, 'Who goes?')
  await ada.goto(`/rooms/${room}?thread=${root}`)
  await waitForRoom(ada)
  await ada.route('**/messages', async (route) => {
    await chat.remove(owner, room, root)
    await route.continue()
  })
  const reply = ada.getByLabel('Reply', { exact: true })
  await reply.fill('I do')
  await reply.press('Enter')
  const problem = ada.getByRole('alert').filter({ hasText: 'was deleted' })
  await problem.waitFor()
  await ada.goto(`/rooms/${room}`)
  await problem.waitFor()
  await ada.getByRole('button', { name: 'Delete' }).click()
  await problem.waitFor({ state: 'detached' })
  await ada.unrouteAll({ behavior: 'wait' })
  t.same(await bodies(room), [])
})

t.test('a message unsent for a day is sent only when its author says so', async (t) => {
  const room = await openRoom(ada)
  browser.expectError(ada, /ERR_|failed/)
  await ada.route('**/messages', (route) => route.abort('connectionreset'))
  await messageField(ada).fill('Of yesterday')
  await messageField(ada).press('Enter')
  await unsent(ada, 'Of yesterday').getByText('Waiting for a connection').waitFor()
  await ada.clock.setFixedTime(chat.clock.now() + 25 * 3_600_000)
  await ada.reload()
  await ada.getByRole('alert').getByText('more than a day ago').waitFor()
  await ada.unrouteAll({ behavior: 'wait' })
  await browser.waitForResponses(ada)
  t.same(await bodies(room), [])
  await ada.getByRole('button', { name: 'Retry' }).click()
  await messagesWith(ada, 'Of yesterday').waitFor()
  t.same(await bodies(room), ['Of yesterday'])
  await ada.clock.setFixedTime(chat.clock.now())
})
