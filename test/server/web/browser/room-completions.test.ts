import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'
import { messageField, messagesWith, waitForRoom } from '../../../support/room-pages.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace Hopper', 'general')
const linus = await chat.person('Linus One', 'general')
await chat.person('Linus Two', 'general')
const ada = await browser.openPageAs(chat, owner)
const phone = await browser.openPageAs(chat, grace, { window: 'phone' })

const option = (page: Page, list: string, name: string | RegExp) =>
  page.getByRole('listbox', { name: list }).getByRole('option', { name })
const last = async (room = 'general', reader = owner) => (await chat.page(reader, room)).page[0]?.body

/** Sends by Enter on a laptop, and by the button on a phone, where Enter begins a new line. */
const send = (page: Page) =>
  page === phone ? page.getByRole('button', { name: 'Send' }).click() : messageField(page).press('Enter')
async function open(page: Page, room: string): Promise<void> {
  await page.goto(`/rooms/${room}`)
  await waitForRoom(page)
}
/** Chooses an option of a list, by key or by tap. */
async function pick(page: Page, list: string, name: RegExp): Promise<void> {
  if (page === phone) return option(page, list, name).tap()
  await option(page, list, name).waitFor()
  await page.keyboard.press('Enter')
}

const writers = [
  { window: 'laptop', page: ada, actor: owner, colleague: grace, guest: 'Grace Hopper' },
  { window: 'phone', page: phone, actor: grace, colleague: owner, guest: 'Linus One' },
] as const

t.beforeEach(async () => {
  await ada.goto('/rooms/general')
  await waitForRoom(ada)
})

t.test('emoji are completed by name, and a complete name becomes an emoji', async (t) => {
  await messageField(ada).pressSequentially('Done :tad')
  await option(ada, 'Emoji', /:tada:/).waitFor()
  await checkAccessibility(t, ada)
  await ada.keyboard.press('Tab')
  t.equal(await messageField(ada).inputValue(), 'Done 🎉 ')
  await messageField(ada).pressSequentially('at 10:30 :+1:')
  await chat.eventually(async () => (await messageField(ada).inputValue()) === 'Done 🎉 at 10:30 👍')
  await messageField(ada).press('Escape')
  await messageField(ada).pressSequentially(' `:tada:`')
  t.equal(await messageField(ada).inputValue(), 'Done 🎉 at 10:30 👍 `:tada:`')
  await messageField(ada).press('Escape')
  await messageField(ada).press('Enter')
  await messagesWith(ada, 'Done 🎉 at 10:30').waitFor()
  await phone.goto('/rooms/general')
  await waitForRoom(phone)
  await phone.locator('#message').tap()
  await phone.keyboard.type(':rock')
  await option(phone, 'Emoji', /:rocket:/).tap()
  t.equal(await messageField(phone).inputValue(), '🚀 ')
  await messageField(phone).fill('')
})

t.test('documents of any project are completed after [[ in general and direct rooms', async (t) => {
  await chat.request('PUT', '/v1/fs/projects/general/docs/tides.md', { body: '# Tide tables\n\nHigh.\n' })
  await chat.request('PUT', '/v1/fs/projects/general/board/todo/mast.md', { body: '# Mend the mast\n' })
  await phone.goto(`/members/${owner.member.id}`)
  await phone.getByRole('main').getByRole('button', { name: 'Message' }).tap()
  await phone.waitForURL(/\/rooms\//)
  await waitForRoom(phone)
  for (const [page, words, title] of [
    [ada, 'tide', 'Tide tables'],
    [phone, 'mast', 'Mend the mast'],
  ] as const) {
    await messageField(page).pressSequentially(`From [[${words}`)
    await option(page, 'Documents and cards', new RegExp(`${title}.*general`, 'i')).click()
    await page.getByRole('button', { name: 'Send' }).click()
    await messagesWith(page, `From ${title}`).getByRole('link', { name: title }).waitFor()
  }
  t.match(await last(), /^From \[\[n:doc_\w+\|Tide tables\]\]/)
})

for (const { window, page, actor, colleague, guest } of writers) {
  t.test(`on a ${window} rooms are completed after # and become links`, async (t) => {
    const name = `Harbour [${window}]`
    const { _id: id } = await chat.room(actor, { name })
    await open(page, 'general')
    await messageField(page).pressSequentially('See #harb')
    await option(page, 'Rooms', `#${name}`).click()
    await send(page)
    await messagesWith(page, `See #${name}`)
      .getByRole('link', { name: `#${name}` })
      .click()
    await page.waitForURL(/\/rooms\/(?:harbour-|room_)/)
    t.equal(await page.getByRole('heading', { level: 1 }).innerText(), name)
    t.match(await last(), id)
  })

  t.test(`on a ${window} documents of a project are completed after [[ in its rooms`, async (t) => {
    const body = `# Tide tables (${window})\n\nHigh.\n`
    await chat.request('PUT', `/v1/fs/projects/general/docs/tides-${window}.md`, { body })
    const { _id: id } = await chat.room(actor, { name: `Tides ${window}`, projectId: 'general' })
    await open(page, id)
    await messageField(page).pressSequentially(`In [[tide tables (${window}`)
    await pick(page, 'Documents and cards', new RegExp(`Tide tables \\(${window}\\)`))
    await send(page)
    await messagesWith(page, 'In Tide tables').getByRole('link', { name: 'Tide tables' }).waitFor()
    t.match(await last(id, actor), /^In \[\[.*Tide tables \(\w+\)\]\]/)
  })

  t.test(`on a ${window} commands are completed after / and run, and other text is sent`, async (t) => {
    const { _id: id } = await chat.room(actor, { name: `Commands ${window}` })
    await open(page, id)
    await messageField(page).pressSequentially('/top')
    await option(page, 'Commands', /\/topic/).waitFor()
    await checkAccessibility(t, page)
    await pick(page, 'Commands', /\/topic/)
    await messageField(page).pressSequentially('Of boats')
    await send(page)
    await page.locator('.about').getByText('Of boats').waitFor()
    t.equal(await messageField(page).inputValue(), '')
    await messageField(page).pressSequentially(`/invite @${guest.slice(0, 5)}`)
    await option(page, 'Members', guest).click()
    await send(page)
    await page.getByRole('link', { name: /^2 members/ }).waitFor()
    browser.expectError(page, /status of 400/)
    await messageField(page).fill('/invite Nobody')
    await send(page)
    await page.getByRole('alert').getByText('There is no member').waitFor()
    t.equal(await messageField(page).inputValue(), '/invite Nobody')
    await messageField(page).fill('/deploy now')
    await send(page)
    await messagesWith(page, '/deploy now').waitFor()
    t.equal(await last(id, actor), '/deploy now')
  })

  t.test(
    `on a ${window} a unique first name becomes a mention; an ambiguous one warns before sending`,
    async (t) => {
      const first = colleague.member.name.split(' ')[0]!
      await open(page, 'general')
      await messageField(page).pressSequentially(`Ask @${first.toLowerCase()}, `)
      await messageField(page).press('Escape')
      await send(page)
      await messagesWith(page, `Ask @${colleague.member.name}`).waitFor()
      t.equal(await last(), `Ask ${mention(colleague)}, `)
      const unclear = `And @Linus on a ${window}?`
      await messageField(page).pressSequentially(unclear)
      const words = '@Linus could be Linus One or Linus Two'
      const warning = page.getByRole('status').filter({ hasText: words })
      await warning.waitFor()
      const problem = page.getByRole('alert').filter({ hasText: words })
      await send(page)
      await problem.waitFor()
      await checkAccessibility(t, page)
      t.equal(await messageField(page).inputValue(), unclear)
      await send(page)
      await messagesWith(page, unclear).waitFor()
      await problem.waitFor({ state: 'detached' })
      await warning.waitFor({ state: 'hidden' })
      t.equal(await last(), unclear)
      await messageField(page).fill(`Or @Linus One on a ${window}?`)
      await send(page)
      await messagesWith(page, `Or @Linus One on a ${window}?`).waitFor()
      t.equal(await last(), `Or ${mention(linus)} on a ${window}?`)
    },
  )
}

t.test('members who are typing are shown to the others until they send or stop', async (t) => {
  await phone.goto('/rooms/general')
  await waitForRoom(phone)
  await messageField(ada).pressSequentially('I am')
  await phone.getByText('Ada is typing').waitFor()
  t.equal(await ada.getByText('is typing').count(), 0, 'Ada does not see herself typing')
  await messageField(ada).press('Enter')
  await messagesWith(phone, 'I am').waitFor()
  await phone.getByText('Ada is typing').waitFor({ state: 'detached' })
  await messageField(ada).pressSequentially('Or')
  await phone.getByText('Ada is typing').waitFor()
  await messageField(ada).press('Backspace')
  await messageField(ada).press('Backspace')
  await phone.getByText('Ada is typing').waitFor({ state: 'detached' })
  await messageField(ada).pressSequentially('Again')
  await phone.getByText('Ada is typing').waitFor()
  chat.clock.advance(6000)
  await phone.getByText('Ada is typing').waitFor({ state: 'detached' })
  await messageField(ada).fill('')
  await messageField(phone).pressSequentially('And I')
  await ada.getByText('Grace Hopper is typing').waitFor()
  await phone.getByRole('button', { name: 'Send' }).tap()
  await messagesWith(ada, 'And I').waitFor()
  await ada.getByText('Grace Hopper is typing').waitFor({ state: 'detached' })
})
