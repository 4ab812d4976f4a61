import type { Page } from 'playwright-core'
import t from 'tap'
import { accessible } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace Hopper', 'general')
const ada = await browser.person(chat, owner)
const phone = await browser.person(chat, grace, { window: 'phone' })

const field = (page: Page) => page.getByRole('main').getByLabel('Message', { exact: true })
const said = (page: Page, words: string) => page.getByRole('article').filter({ hasText: words })
const unsent = (page: Page, words: string) => page.locator('.unsent').filter({ hasText: words })
const comesTrue = (page: Page, expression: string) =>
  chat.eventually(async () => page.evaluate<boolean>(`Boolean(${expression})`))
const bodies = async (room: string) =>
  (await chat.page(owner, room, 'limit=100')).page.map(({ body }) => body).toReversed()
/** A room of its own for a test, opened by both. */
async function openRoom(...pages: Page[]): Promise<string> {
  const { _id: id } = await chat.room(owner, { members: [grace.member.id] })
  await Promise.all(pages.map((page) => page.goto(`/rooms/${id}`)))
  return id
}

for (const [name, page] of [
  ['laptop', ada],
  ['phone', phone],
] as const) {
  t.test(
    `what is sent quickly over a slow network is seen at once and arrives in order, on a ${name}`,
    async (t) => {
      const room = await openRoom(page)
      await field(page).fill('ready')
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 600,
        downloadThroughput: -1,
        uploadThroughput: -1,
      })
      // From the key or the press to the frame in which the words are on the page.
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
      t.equal(shownAfterMs.length, 8, 'all are in sight')
      t.ok(Math.max(...shownAfterMs) < 50, `at once: ${shownAfterMs.map(Math.round)}`)
      t.equal(await field(page).inputValue(), '')
      await accessible(t, page)
      await devtools.detach()
      await chat.eventually(async () => (await bodies(room)).length === 8)
      t.same(
        await bodies(room),
        [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `Number ${n}`),
      )
      await said(page, 'Number 8').waitFor()
      await unsent(page, 'Number').first().waitFor({ state: 'detached' })
      t.equal(await said(page, 'Number').count(), 8)
    },
  )
}

t.test(
  'what could not be sent is sent by itself once there is a connection, once, also by another page',
  async (t) => {
    const room = await openRoom(ada)
    browser.expect(ada, /ERR_|failed/)
    await ada.context().setOffline(true)
    await field(ada).fill(`To @Grace, ${'é'.repeat(10)}`)
    await field(ada).press('Enter')
    await field(ada).fill('And more')
    await field(ada).press('Enter')
    await unsent(ada, 'To @Grace').getByText('Waiting for a connection').waitFor()
    await ada.getByRole('status').filter({ hasText: 'You are offline' }).waitFor()
    await accessible(t, ada)
    t.same(await bodies(room), [])
    await ada.context().setOffline(false)
    await said(ada, 'And more').waitFor()
    t.same(await bodies(room), [`To ${mention(grace)}, ${'é'.repeat(10)}`, 'And more'])

    // The server took it, and its answer was lost.
    await ada.route(
      '**/messages',
      async (route) => {
        await route.fetch()
        await route.abort('connectionreset')
      },
      { times: 1 },
    )
    await field(ada).fill('Only once')
    await field(ada).press('Enter')
    await comesTrue(ada, 'document.querySelector(".unsent") === null')
    t.equal((await bodies(room)).filter((body) => body === 'Only once').length, 1)

    await ada.route('**/messages', (route) => route.abort('connectionreset'))
    await field(ada).fill('Sent from the next page')
    await field(ada).press('Enter')
    await unsent(ada, 'Sent from').getByText('Waiting for a connection').waitFor()
    await ada.reload()
    await unsent(ada, 'Sent from').waitFor()
    await ada.goto('/members')
    await ada.unrouteAll({ behavior: 'wait' })
    await chat.eventually(async () => (await bodies(room)).includes('Sent from the next page'))
    await ada.goto(`/rooms/${room}`)
    await said(ada, 'Sent from').waitFor()
    t.equal(await unsent(ada, 'Sent from').count(), 0)
  },
)

t.test('a message that is refused says why, and is sent again or changed by its author', async (t) => {
  const room = await openRoom(phone)
  browser.expect(phone, /status of 400/)
  await field(phone).fill('x'.repeat(32_001))
  await phone.getByRole('button', { name: 'Send' }).click()
  const problem = phone.getByRole('alert').filter({ hasText: 'Not sent.' })
  await problem.waitFor()
  await field(phone).fill('Short')
  await phone.getByRole('button', { name: 'Send' }).click()
  await said(phone, 'Short').waitFor()
  await accessible(t, phone)
  await phone.reload()
  await problem.waitFor()
  await phone.getByRole('button', { name: 'Retry' }).click()
  await problem.waitFor()
  const edit = phone.getByRole('button', { name: 'Edit' })
  t.ok((await edit.boundingBox())!.height >= 44, 'large enough for a thumb')
  await edit.click()
  await problem.waitFor({ state: 'detached' })
  t.equal((await field(phone).inputValue()).length, 32_001)
  await field(phone).fill('Changed')
  await phone.getByRole('button', { name: 'Send' }).click()
  await said(phone, 'Changed').waitFor()
  t.same(await bodies(room), ['Short', 'Changed'])
})

t.test('a draft is the same in all tabs', async (t) => {
  const room = await openRoom(ada)
  const other = await ada.context().newPage()
  t.teardown(() => other.close())
  await other.goto(`/rooms/${room}`)
  await field(ada).fill('Half a thou')
  await comesTrue(other, 'document.getElementById("message").value === "Half a thou"')
  await field(other).fill('Half a thought')
  await comesTrue(ada, 'document.getElementById("message").value === "Half a thought"')
  await field(other).press('Enter')
  await comesTrue(ada, 'document.getElementById("message").value === ""')
})

t.test('what was not sent for a day is sent only when its author says so', async (t) => {
  const room = await openRoom(ada)
  browser.expect(ada, /ERR_|failed/)
  await ada.route('**/messages', (route) => route.abort('connectionreset'))
  await field(ada).fill('Of yesterday')
  await field(ada).press('Enter')
  await unsent(ada, 'Of yesterday').getByText('Waiting for a connection').waitFor()
  await ada.clock.setFixedTime(chat.clock.now() + 25 * 3_600_000)
  await ada.reload()
  await ada.getByRole('alert').getByText('more than a day ago').waitFor()
  await ada.unrouteAll({ behavior: 'wait' })
  await browser.answersTaken(ada)
  t.same(await bodies(room), [])
  await ada.getByRole('button', { name: 'Retry' }).click()
  await said(ada, 'Of yesterday').waitFor()
  t.same(await bodies(room), ['Of yesterday'])
})

t.test('a reply that is refused is shown in the room when its thread was closed', async (t) => {
  const room = await openRoom(ada)
  browser.expect(ada, /status of 400/)
  const root = await chat.post(owner, room, 'Who goes?')
  await ada.goto(`/rooms/${room}?thread=${root}`)
  await ada.route('**/messages', async (route) => {
    await chat.remove(owner, room, root)
    await route.continue()
  })
  await ada.getByLabel('Reply', { exact: true }).fill('I do')
  await ada.getByLabel('Reply', { exact: true }).press('Enter')
  const problem = ada.getByRole('alert').filter({ hasText: 'was deleted' })
  await problem.waitFor()
  await ada.goto(`/rooms/${room}`)
  await problem.waitFor()
  await ada.getByRole('button', { name: 'Delete' }).click()
  await problem.waitFor({ state: 'detached' })
  await ada.unrouteAll({ behavior: 'wait' })
  t.same(await bodies(room), [])
})
