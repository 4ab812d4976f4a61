import { once } from 'node:events'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { uploadForm } from '../../../support/upload-form.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const { owner, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = await browser.openPageAs(workroom, owner)
const tree = '/v1/fs/projects/general'

/** Waits until the finder has loaded; before, its keys do nothing. */
const ready = (page: Page) => page.locator('#found').waitFor({ state: 'attached' })

t.test('the finder finds documents, members, asks and files by keyboard', async (t) => {
  const put = await request('PUT', `${tree}/docs/lanterns.md`, { body: '# Lanterns\n\nThey glow at dusk.\n' })
  await ada.goto('/members')
  await ready(ada)
  await ada.keyboard.press('/')
  await ada.keyboard.type('dus')
  const found = ada.getByRole('option', { name: /Lanterns.*glow at dusk/ })
  await found.waitFor()
  t.equal(await found.getAttribute('aria-selected'), 'true', 'Enter opens the first')
  t.equal(
    await ada.getByRole('combobox').getAttribute('aria-activedescendant'),
    await found.getAttribute('id'),
  )
  await checkAccessibility(t, ada)
  await ada.keyboard.press('Enter')
  await ada.waitForURL(new URL(put.json.url).pathname)
  await ready(ada)
  await ada.keyboard.press('Control+k')
  await ada.keyboard.type('gr')
  await ada.getByRole('option', { name: 'Grace Person' }).waitFor()
  const raised = await request('POST', '/api/asks', {
    body: { project: 'general', title: 'Oil the lanterns' },
  })
  await request(
    'POST',
    `${tree}/library/files`,
    await uploadForm(['file', 'glass,wick', 'lantern parts.csv']),
  )
  await ada.getByRole('combobox').fill('lantern')
  const names = ['lantern parts.csv File · General', 'Oil the lanterns Ask · General']
  for (const name of names) await ada.getByRole('option', { name }).waitFor()
  t.strictSame(
    (await ada.getByRole('option').allInnerTexts()).slice(0, 2).map((text) => text.replace(/\s+/g, ' ')),
    names,
    'matches by name come before matches in texts',
  )
  await checkAccessibility(t, ada)
  await ada.keyboard.press('ArrowDown')
  await ada.keyboard.press('Enter')
  await ada.waitForURL(`**/projects/general/asks#${raised.json.askId}`)
  await ada.getByRole('heading', { name: 'Oil the lanterns' }).waitFor()
  await ready(ada)
  await ada.keyboard.press('/')
  await ada.keyboard.type('inb')
  await ada.getByRole('option', { name: 'Inbox Page' }).waitFor()
  await ada.keyboard.press('Escape')
  t.equal(await ada.getByRole('listbox', { name: 'Results' }).count(), 0)
  await ada.keyboard.press('?')
  await ada.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await ada.keyboard.press('Escape')
  const phone = await browser.openPageAs(workroom, grace, { window: 'phone', colorScheme: 'dark' })
  await phone.goto('/')
  await phone.getByRole('combobox').tap()
  await phone.keyboard.type('glow')
  await phone.getByRole('option', { name: /Lanterns/ }).waitFor()
  await checkAccessibility(t, phone)
  t.equal(await phone.evaluate<number>('document.documentElement.scrollWidth'), 375)
  await phone.getByRole('option', { name: 'All results for “glow”' }).tap()
  await phone.waitForURL('**/search?q=glow')
  t.equal(await phone.locator('mark').textContent(), 'glow')
})

t.test(
  'a closed finder is not opened by a late answer, and searches afresh when it is opened again',
  async (t) => {
    const found = ada.getByRole('listbox', { name: 'Results' }).getByRole('option')
    const lamp = (name: string) =>
      request('PUT', `${tree}/docs/brass-${name}.md`, { body: `# Brass ${name}\n\nShines.\n` })
    await lamp('bell')
    await ada.goto('/members')
    await ready(ada)
    const [asked, closed, answered] = [new AbortController(), new AbortController(), new AbortController()]
    const [isAsked, isClosed, isAnswered] = [asked, closed, answered].map(({ signal }) =>
      once(signal, 'abort'),
    )
    await ada.route(
      '**/v1/search?*',
      async (route) => {
        const response = await route.fetch()
        asked.abort()
        await isClosed
        // The request may have been aborted by then.
        await route.fulfill({ response }).catch(() => {})
        answered.abort()
      },
      { times: 1 },
    )
    await ada.keyboard.press('/')
    await ada.keyboard.type('brass')
    await isAsked
    await ada.keyboard.press('Escape')
    closed.abort()
    await isAnswered
    await browser.waitForResponses(ada)
    t.equal(await found.count(), 0, 'a late answer does not open it')
    await lamp('lamp')
    await ada.keyboard.press('/')
    await ada.keyboard.type('brass')
    await ada.getByRole('option', { name: /Brass bell/ }).waitFor()
    await ada.getByRole('option', { name: /Brass lamp/ }).waitFor()
    await ada.keyboard.press('Escape')
    t.equal(await found.count(), 0)
    await lamp('lock')
    await ada.keyboard.press('Control+k')
    await ada.keyboard.type('brass')
    await ada.getByRole('option', { name: /Brass lock/ }).waitFor()
    t.strictSame((await found.locator('bdi').allInnerTexts()).sort(), [
      'All results for “brass”',
      'Brass bell',
      'Brass lamp',
      'Brass lock',
    ])
  },
)

for (const window of ['laptop', 'phone'] as const) {
  t.test(
    `on a ${window} the finder offers recent pages and new things, and then returns the focus`,
    async (t) => {
      await request('PUT', `${tree}/docs/onboarding.md`, { body: '# Onboarding\n\nWelcome.\n' })
      const page = await browser.openPageAs(workroom, owner, { window })
      const find = (on: Page) =>
        window === 'laptop' ? on.keyboard.press('Control+k') : on.getByRole('combobox').tap()
      const open = async (path: string) => {
        await page.goto(path)
        await ready(page)
      }
      const options = page.getByRole('option')
      await open('/rooms/general')
      await open('/projects/general/docs/onboarding')
      await open('/members')
      await page.getByRole('main').getByRole('link', { name: 'Grace' }).first().focus()
      await find(page)
      await options.first().waitFor()
      t.strictSame(
        (await options.locator('bdi').allInnerTexts()).filter((name) => !/^(?:New|Upload)/.test(name)),
        ['Onboarding · General', 'general', 'Invite people'],
      )
      await checkAccessibility(t, page)
      await page.keyboard.press('Escape')
      t.equal(await page.evaluate<string>('document.activeElement.textContent'), 'Grace')

      await find(page)
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/onboarding')
      await ready(page)
      await find(page)
      await page.keyboard.type('new doc')
      await page.keyboard.press('Enter')
      await page.waitForURL('**/projects/general/new?kind=document')

      await open('/members')
      await find(page)
      await page.keyboard.type('onbaording')
      await page.getByRole('option', { name: 'Onboarding Document' }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/docs/onboarding')

      const stranger = await browser.openPageAs(workroom, grace, { window })
      await stranger.goto('/members')
      await ready(stranger)
      await find(stranger)
      await stranger.getByRole('option', { name: 'New room' }).waitFor()
      t.equal(await stranger.getByRole('option', { name: 'Invite people' }).count(), 0)
    },
  )
}
