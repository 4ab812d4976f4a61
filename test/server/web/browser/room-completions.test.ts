import type { Page } from 'playwright-core'
import t from 'tap'
import { accessible } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { mention, openChat } from '../../../support/chat.ts'

const browser = await openBrowser(t)
const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace Hopper', 'general')
const linus = await chat.person('Linus One', 'general')
await chat.person('Linus Two', 'general')
const ada = await browser.person(chat, owner)
const phone = await browser.person(chat, grace, { window: 'phone' })

const field = (page: Page) => page.getByRole('main').getByLabel('Message', { exact: true })
const said = (page: Page, words: string) => page.getByRole('article').filter({ hasText: words })
const option = (page: Page, list: string, name: string | RegExp) =>
  page.getByRole('listbox', { name: list }).getByRole('option', { name })
const last = async (room = 'general') => (await chat.page(owner, room)).page[0]?.body
const ready = (page: Page) =>
  chat.eventually(async () => page.evaluate<boolean>('document.activeElement !== document.body'))

t.beforeEach(async () => {
  await ada.goto('/rooms/general')
  await ready(ada)
})

t.test('emoji are completed by name, and a whole name becomes one', async (t) => {
  await field(ada).pressSequentially('Done :tad')
  await option(ada, 'Emoji', /:tada:/).waitFor()
  await accessible(t, ada)
  await ada.keyboard.press('Tab')
  t.equal(await field(ada).inputValue(), 'Done 🎉 ')
  await field(ada).pressSequentially('at 10:30 :+1:')
  await chat.eventually(async () => (await field(ada).inputValue()) === 'Done 🎉 at 10:30 👍')
  await field(ada).press('Escape')
  await field(ada).pressSequentially(' `:tada:`')
  t.equal(await field(ada).inputValue(), 'Done 🎉 at 10:30 👍 `:tada:`')
  await field(ada).press('Escape')
  await field(ada).press('Enter')
  await said(ada, 'Done 🎉 at 10:30').waitFor()
  await phone.goto('/rooms/general')
  await ready(phone)
  await phone.locator('#message').tap()
  await phone.keyboard.type(':rock')
  await option(phone, 'Emoji', /:rocket:/).tap()
  t.equal(await field(phone).inputValue(), '🚀 ')
  await field(phone).fill('')
})

t.test('rooms are completed after #, and lead there', async (t) => {
  const { _id: id } = await chat.room(owner, { name: 'Harbour [east]' })
  await ada.reload()
  await ready(ada)
  await field(ada).pressSequentially('See #harb')
  await option(ada, 'Rooms', '#Harbour [east]').click()
  await field(ada).press('Enter')
  await said(ada, 'See #Harbour').getByRole('link', { name: '#Harbour [east]' }).click()
  await ada.waitForURL(/\/rooms\/(?:harbour-east|room_)/)
  t.equal(await ada.getByRole('heading', { level: 1 }).innerText(), 'Harbour [east]')
  t.match(await last(), id)
})

t.test('what a project holds is completed after [[ in its rooms', async (t) => {
  await chat.request('PUT', '/v1/fs/projects/general/docs/tides.md', { body: '# Tide tables\n\nHigh.\n' })
  const { _id: id } = await chat.room(owner, { name: 'Tides', projectId: 'general' })
  await ada.goto(`/rooms/${id}`)
  await ready(ada)
  await field(ada).pressSequentially('In [[tid')
  await option(ada, 'Documents and cards', /Tide tables/).waitFor()
  await ada.keyboard.press('Enter')
  await field(ada).press('Enter')
  await said(ada, 'In Tide tables').getByRole('link', { name: 'Tide tables' }).waitFor()
  t.match(await last(id), /^In \[\[.*Tide tables\]\]/)
})

t.test('what any project holds is completed after [[ in general and direct rooms', async (t) => {
  await chat.request('PUT', '/v1/fs/projects/general/board/todo/mast.md', { body: '# Mend the mast\n' })
  await phone.goto(`/members/${owner.member.id}`)
  await phone.getByRole('main').getByRole('button', { name: 'Message' }).tap()
  await phone.waitForURL(/\/rooms\//)
  for (const [page, words, title] of [
    [ada, 'tide', 'Tide tables'],
    [phone, 'mast', 'Mend the mast'],
  ] as const) {
    await field(page).pressSequentially(`From [[${words}`)
    await option(page, 'Documents and cards', new RegExp(`${title}.*general`, 'i')).click()
    await page.getByRole('button', { name: 'Send' }).click()
    await said(page, `From ${title}`).getByRole('link', { name: title }).waitFor()
  }
  t.match(await last(), /^From \[\[n:doc_\w+\|Tide tables\]\]/)
})

t.test('commands are completed after / and run, and any other text is a message', async (t) => {
  const { _id: id } = await chat.room(owner, { name: 'Commands' })
  await ada.goto(`/rooms/${id}`)
  await ready(ada)
  await field(ada).pressSequentially('/top')
  await option(ada, 'Commands', /\/topic/).waitFor()
  await accessible(t, ada)
  await ada.keyboard.press('Enter')
  await field(ada).pressSequentially('Of boats')
  await field(ada).press('Enter')
  await ada.locator('.about').getByText('Of boats').waitFor()
  t.equal(await field(ada).inputValue(), '')
  await field(ada).pressSequentially('/invite @Grace')
  await option(ada, 'Members', 'Grace Hopper').click()
  await field(ada).press('Enter')
  await ada.getByRole('link', { name: /^2 members/ }).waitFor()
  browser.expect(ada, /status of 400/)
  await field(ada).fill('/invite Nobody')
  await field(ada).press('Enter')
  await ada.getByRole('alert').getByText('There is no member').waitFor()
  t.equal(await field(ada).inputValue(), '/invite Nobody')
  await field(ada).fill('/deploy now')
  await field(ada).press('Enter')
  await said(ada, '/deploy now').waitFor()
  t.equal(await last(id), '/deploy now')
})

t.test(
  'a first name that is clear becomes a mention; one that is not is said before it is sent',
  async (t) => {
    await field(ada).pressSequentially('Ask @grace, ')
    await field(ada).press('Escape')
    await field(ada).press('Enter')
    await said(ada, 'Ask @Grace Hopper').waitFor()
    t.equal(await last(), `Ask ${mention(grace)}, `)
    await field(ada).pressSequentially('And @Linus?')
    const warning = ada.getByRole('status').filter({ hasText: '@Linus could be Linus One or Linus Two' })
    await warning.waitFor()
    const problem = ada.getByRole('alert').filter({ hasText: '@Linus could be Linus One or Linus Two' })
    await field(ada).press('Enter')
    await problem.waitFor()
    await accessible(t, ada)
    t.equal(await field(ada).inputValue(), 'And @Linus?')
    await field(ada).press('Enter')
    await said(ada, 'And @Linus?').waitFor()
    await problem.waitFor({ state: 'detached' })
    await warning.waitFor({ state: 'hidden' })
    t.equal(await last(), 'And @Linus?')
    await field(ada).fill('Or @Linus One?')
    await field(ada).press('Enter')
    await said(ada, 'Or @Linus One?').waitFor()
    t.equal(await last(), `Or ${mention(linus)}?`)
  },
)

t.test('people who write are shown to the others, until they send or stop', async (t) => {
  await phone.goto('/rooms/general')
  await ready(phone)
  await field(ada).pressSequentially('I am')
  await phone.getByText('Ada is writing').waitFor()
  t.equal(await ada.getByText('is writing').count(), 0, 'not to oneself')
  await field(ada).press('Enter')
  await said(phone, 'I am').waitFor()
  await phone.getByText('Ada is writing').waitFor({ state: 'detached' })
  await field(ada).pressSequentially('Or')
  await phone.getByText('Ada is writing').waitFor()
  await field(ada).press('Backspace')
  await field(ada).press('Backspace')
  await phone.getByText('Ada is writing').waitFor({ state: 'detached' })
  await field(ada).pressSequentially('Again')
  await phone.getByText('Ada is writing').waitFor()
  chat.clock.advance(6000)
  await phone.getByText('Ada is writing').waitFor({ state: 'detached' })
  await field(ada).fill('')
})
