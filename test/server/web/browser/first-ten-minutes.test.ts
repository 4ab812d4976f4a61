import type { Page } from 'playwright-core'
import t from 'tap'
import type { Outbound } from '../../../../data/outbound/http.ts'
import { checkAccessibility } from '../../../support/axe.ts'
import { checkBothWindows } from '../../../support/both-windows.ts'
import { openBrowser } from '../../../support/browser.ts'
import { overflowWidth } from '../../../support/page-structure.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const main = (page: Page) => page.getByRole('main')
const button = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true })
const confirm = (page: Page, name: string) =>
  page.locator('dialog.confirm').getByRole('button', { name, exact: true }).click()

t.test('a new team starts to work, and nothing answers 403', async (t) => {
  const workroom = await startWorkroom(t)
  const { workspace, request } = workroom
  const ada = await browser.openPageAs(workroom, workroom.owner)
  t.teardown(() => ada.context().close())
  await ada.goto('/welcome')
  await ada.getByLabel('Your name').fill('Ada Lovelace')
  await ada.getByLabel('Workspace name').fill('Harbour')
  await button(ada, 'Continue').click()
  await main(ada).getByRole('heading', { name: 'Hello, Ada Lovelace' }).waitFor()
  await main(ada).getByRole('heading', { name: 'Get started' }).waitFor()
  t.equal(workspace.identity.name, 'Harbour')

  await request('POST', '/api/rooms', { body: { name: 'Night watch', type: 'closed' } })
  await main(ada).getByRole('link', { name: 'Invite', exact: true }).click()
  await ada.waitForURL('**/invites')
  await ada.getByLabel('For', { exact: true }).selectOption('A person')
  await ada.getByLabel('General').check()
  await ada.getByLabel('Night watch').check()
  await ada.getByLabel('Number of people').fill('2')
  await ada.getByLabel('Expires').selectOption('After a day')
  await button(ada, 'Create invite').click()
  const address = ada.locator('#code-address code')
  await address.getByText('/join?invite=').waitFor()
  const invite = await address.innerText()
  const row = main(ada).locator('#invites li')
  await row.getByText('2 uses left').waitFor()
  await row.getByText('Night watch').waitFor()
  await row.getByText('General').waitFor()
  await checkBothWindows(t, browser, ada, 'the new code')

  const grace = await browser.openSignedOutPage(workroom, { window: 'phone' })
  t.teardown(() => grace.context().close())
  await grace.clock.setFixedTime(workroom.clock.now())
  await grace.goto(invite)
  await grace.getByText('Join Harbour').waitFor()
  await grace.getByLabel('Your name').fill('Grace')
  await button(grace, 'Join').tap()
  await grace.getByText('Welcome, Grace').waitFor()
  await checkAccessibility(t, grace, 'the page after joining')
  t.ok((await overflowWidth(grace)) <= 0, 'it fits the width of a phone')
  await row.getByText('one use left').waitFor()
  await grace.getByRole('link', { name: 'Continue' }).tap()
  const steps = main(grace).getByRole('region', { name: 'Get started' })
  await steps.waitFor()
  t.ok((await overflowWidth(grace)) <= 0, 'the first steps fit the width of a phone')
  const paths = await steps
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')!))
  t.match(paths.join(' '), /\/rooms\/night-watch .*\/projects\/general /, 'with the room of the invite')
  for (const path of paths) t.equal((await grace.request.get(path)).status(), 200, path)

  await steps.getByRole('link', { name: 'Night watch' }).tap()
  await main(grace).getByLabel('Message', { exact: true }).fill('Good evening')
  await main(grace).getByRole('button', { name: 'Send' }).tap()
  await grace.getByRole('article').filter({ hasText: 'Good evening' }).waitFor()
})

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
/** A network in which every address answers with a picture. */
const outbound: Outbound = {
  checkUrl: async () => null,
  async request() {
    const headers = { 'content-type': 'image/png' }
    return { kind: 'response', status: 200, headers, body: pixel, isTruncated: false }
  },
}

const workroom = await startWorkroom(t, { faults: { outbound } })
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const helper = await workroom.addMember({ name: 'Helper', type: 'agent', ownerId: grace.member.id })
const ada = await browser.openPageAs(workroom, workroom.owner)
const hers = await browser.openPageAs(workroom, grace)

t.test('a member creates, rotates and revokes their own keys and those of their agent', async (t) => {
  const status = async (key: string) => (await workroom.request('GET', '/v1/fs', { key })).status
  const shown = hers.getByLabel('The new key').locator('output')
  for (const [window, whose] of [
    ['phone', 'own'],
    ['laptop', 'agent’s'],
  ] as const) {
    await browser.resize(hers, window)
    const label = `Camera, ${whose}`
    if (whose === 'own') {
      await hers.goto('/account')
      await main(hers).getByRole('link', { name: 'Keys', exact: true }).click()
      await hers.waitForURL('**/account/keys')
    } else await hers.goto(`/members/${helper.member.id}`)
    await main(hers).locator('summary', { hasText: 'New key' }).click()
    await hers.getByLabel('Label').fill(label)
    await hers.getByLabel('Expires').selectOption('After 30 days')
    await button(hers, 'Create key').click()
    await shown.waitFor()
    const key = await shown.innerText()
    t.match(key, /^wr_\w{43}$/)
    t.equal(await status(key), 200)
    const row = hers.locator('#keys li', { hasText: label })
    await row.getByText('expires').waitFor()
    await checkAccessibility(t, hers, `the new key, ${whose}`)
    t.ok((await overflowWidth(hers)) <= 0, `it fits the width of a ${window}`)
    const id = await row.getAttribute('id')
    await button(hers, `Rotate the key ${label}`).click()
    await confirm(hers, 'Rotate')
    await hers.locator(`#keys li:not([id="${id}"])`, { hasText: label }).waitFor()
    await shown.filter({ hasNotText: key }).waitFor()
    const rotated = await shown.innerText()
    t.same([await status(key), await status(rotated)], [401, 200])
    await button(hers, `Revoke the key ${label}`).click()
    await confirm(hers, 'Revoke')
    await row.waitFor({ state: 'detached' })
    t.equal(await status(rotated), 401)
  }
})

t.test('members’ pictures are shown beside their messages and comments and on their pages', async (t) => {
  const { key, member } = grace
  const avatarUrl = 'https://pictures.example/grace.png'
  await workroom.request('PATCH', `/api/members/${member.id}`, { key, body: { avatarUrl } })
  const body = 'Seen by all'
  await workroom.request('POST', '/api/rooms/general/messages', { key, body: { body } })
  for (const path of ['/rooms/general', '/members', `/members/${member.id}`]) {
    await ada.goto(path)
    const picture = main(ada).locator(`img.avatar[src^="/avatars/${member.id}"]`).last()
    await picture.scrollIntoViewIfNeeded()
    await workroom.eventually(() =>
      picture.evaluate((image: unknown) => (image as { naturalWidth: number }).naturalWidth === 1),
    )
    for (const window of ['phone', 'laptop'] as const) {
      await browser.resize(ada, window)
      const { width, height } = (await picture.boundingBox())!
      t.ok(width >= 24 && width === height, `${path} on a ${window}: ${width} by ${height}`)
    }
  }
})

t.test('the workspace is renamed, and all pages show the new name', async (t) => {
  await ada.goto('/account')
  await ada.getByLabel('Workspace name').fill('Harbour of Ada')
  await main(ada).locator('#workspace').getByRole('button', { name: 'Save' }).click()
  await ada.getByText('Saved.').waitFor()
  await hers.goto('/')
  t.match(await hers.title(), 'Harbour of Ada')
  t.equal(workroom.workspace.identity.name, 'Harbour of Ada')
})
