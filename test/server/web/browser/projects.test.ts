import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { checkBothWindows } from '../../../support/both-windows.ts'
import { openBrowser } from '../../../support/browser.ts'
import { makeRepository } from '../../../support/code-repository.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const code = join(t.testdirName, 'code')
const workroom = await startWorkroom(t, {
  config: { outbound: { allow: ['127.0.0.1'] }, repositories: { roots: [code] } },
  prepare: () => void mkdirSync(code),
})
const { owner, request } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const ada = await browser.openPageAs(workroom, owner)
const phone = await browser.openPageAs(workroom, grace, { window: 'phone', colorScheme: 'dark' })
const tree = '/v1/fs/projects/general'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const fold = (page: Page, name: string) => page.locator('summary', { hasText: name })
const confirmIt = (page: Page, name: string) => page.locator('dialog').getByRole('button', { name }).click()
const main = (page: Page) => page.getByRole('main')
const textIn = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue()

t.test('a project is created, shared, renamed, archived and reopened, and others see it live', async (t) => {
  await phone.goto('/projects')
  await ada.goto('/projects')
  await fold(ada, 'New project').click()
  await ada.getByLabel('Name').fill('Lighthouse')
  await button(ada, 'Create project').click()
  await ada.waitForURL('**/projects/lighthouse')
  await ada.goto('/projects/lighthouse/settings')
  await ada.getByLabel('Add a member').selectOption({ label: 'Grace' })
  await button(ada, /^Add$/).click()
  await main(phone).getByRole('link', { name: 'Lighthouse' }).waitFor()
  await ada.getByLabel('The project’s name').fill('Beacon')
  await button(ada, 'Rename').click()
  await ada.locator('#said').getByText('Renamed.').waitFor()
  await main(phone).getByRole('link', { name: 'Beacon' }).waitFor()
  await button(ada, 'Archive this project').click()
  await confirmIt(ada, 'Archive')
  await phone.getByText('Archived (1)').waitFor()
  await button(ada, 'Reopen').click()
  await phone.getByText('Archived (1)').waitFor({ state: 'detached' })
  await button(ada, 'Make lead Grace').click()
  await main(ada).getByRole('button', { name: 'Make member Grace' }).waitFor()
  t.match(await ada.locator('#project-members').innerText(), /Grace\s+lead/)
  t.equal(await main(phone).getByRole('link', { name: 'Beacon' }).count(), 1)
})

t.test('a project is moved, deleted by its typed name and restored', async (t) => {
  await request('POST', '/v1/projects', { body: { name: 'Pier' } })
  await ada.goto('/projects/pier/settings')
  await ada.getByLabel('The project’s address').fill('quay')
  await button(ada, 'Change address').click()
  await ada.waitForURL('/projects/quay/settings')
  const moved = await ada.request.get('/projects/pier/board')
  t.equal(new URL(moved.url()).pathname, '/projects/quay/board', 'the former address leads to the new one')

  await fold(ada, 'Delete this project').click()
  await checkBothWindows(t, browser, ada, 'the question before a deletion')
  const confirmation = main(ada).getByLabel('to confirm')
  browser.expectError(ada, /status of 400/)
  await confirmation.fill('pier')
  await button(ada, 'Delete project').click()
  await main(ada).getByRole('alert').getByText('confirm its name').waitFor()
  await confirmation.fill('Pier')
  await button(ada, 'Delete project').click()
  await ada.waitForURL('/projects')
  t.equal(await ada.getByRole('link', { name: 'Pier' }).count(), 0)

  await fold(ada, 'Deleted (1)').click()
  await checkBothWindows(t, browser, ada, 'the list of deleted projects')
  await button(ada, 'Restore Pier').click()
  await main(ada).getByRole('link', { name: 'Pier' }).waitFor()
  t.equal((await request('GET', '/v1/projects/quay')).status, 200)
})

t.test('an owner outside a project adds themselves on its page, and can then read it', async (t) => {
  const olga = await workroom.addMember({ name: 'Olga', type: 'human' })
  const made = await request('POST', '/v1/projects', { key: olga.key, body: { name: 'Quiet works' } })
  t.equal(made.status, 201)
  await ada.goto('/projects')
  const others = main(ada).getByRole('region', { name: 'Projects that you are not in' })
  await others.getByText('Quiet works', { exact: true }).waitFor()
  await checkAccessibility(t, ada)
  await others.getByRole('link', { name: 'Settings of Quiet works' }).click()
  await main(ada).getByText('You are not in this project').waitFor()
  t.equal(await main(ada).getByRole('navigation', { name: 'Project' }).count(), 0)
  await ada.goto('/projects/quiet-works')
  await button(ada, 'Add yourself to Quiet works').click()
  await main(ada).getByRole('navigation', { name: 'Project' }).waitFor()
  t.match(ada.url(), /\/projects\/quiet-works$/)
})

t.test('a skill is drafted and published, and of two who save at once neither loses text', async (t) => {
  const sheet = (text: string) => `---\nname: tidy-up\ndescription: Tidies.\n---\n\n${text}\n`
  await ada.goto('/projects/general/skills')
  await fold(ada, 'New skill').click()
  await ada.getByLabel('Name').fill('tidy-up')
  await ada.getByLabel('SKILL.md').fill(sheet('One.'))
  await button(ada, 'Save draft').click()
  await ada.waitForURL('**/skills/tidy-up')
  await phone.goto('/projects/general/skills/tidy-up')
  await ada.getByLabel('SKILL.md').fill(sheet('Two, by Ada.'))
  await phone.getByLabel('SKILL.md').fill(sheet('Two, by Grace.'))
  await button(phone, 'Save draft').click()
  await ada.locator('#skill').getByText('draft 2').waitFor()
  t.equal(await textIn(ada, 'SKILL.md'), sheet('Two, by Ada.'), 'text that is being written stays')
  browser.expectError(ada, /status of 409/)
  await button(ada, 'Save draft').click()
  await ada.getByText('Someone else has saved this draft.').waitFor()
  t.match(await ada.locator('.saved').innerText(), 'Two, by Grace.')
  t.equal(await textIn(ada, 'SKILL.md'), sheet('Two, by Ada.'))
  await button(ada, 'Save draft').click()
  await ada.locator('#skill').getByText('draft 3').waitFor()
  await ada.locator('.saved').waitFor({ state: 'detached' })
  await button(ada, 'Publish').click()
  await confirmIt(ada, 'Publish')
  await phone.locator('#published').getByText('Two, by Ada.').waitFor()
  t.equal(
    await textIn(phone, 'SKILL.md'),
    sheet('Two, by Ada.'),
    'a field without changes shows the saved text',
  )
})

t.test('linking a folder as a repository, and unlinking it, is shown on open pages', async (t) => {
  const asked: string[] = []
  const forge = createServer(({ url, headers }, response) => {
    asked.push(`${url} ${headers.authorization}`)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('[]')
  })
  forge.listen(0, '127.0.0.1')
  await once(forge, 'listening')
  t.teardown(() => {
    forge.close()
    forge.closeAllConnections()
  })
  const api = `http://127.0.0.1:${(forge.address() as AddressInfo).port}/api/v1`
  const { path: source } = makeRepository(join(code, 'tides.git'), { 'README.md': '# Tides\n' })
  const linked = async () => (await request('GET', '/v1/projects/general/repositories')).json.repositories
  await Promise.all(
    [ada, phone].map(async (page) => {
      await page.goto('/projects/general/repositories')
      await main(page).getByText('No repositories linked.').waitFor()
    }),
  )
  await fold(ada, 'Link a repository').click()
  const fields = {
    Name: 'tides',
    Source: source,
    'Forge API URL': api,
    Owner: 'team',
    Repository: 'tide-tables',
    'Access token': 'ghp_hunter2',
  }
  for (const [label, value] of Object.entries(fields))
    await ada.getByLabel(label, { exact: true }).fill(value)
  await button(ada, 'Link repository').click()
  for (const page of [phone, ada]) {
    const row = page.locator('#repositories li').filter({ hasText: source })
    await row.getByRole('link', { name: 'tides' }).waitFor()
    await row.getByText('pull requests').waitFor()
  }
  t.match(await linked(), [{ dir: 'tides', source, forge: { api, owner: 'team', name: 'tide-tables' } }])
  t.match(asked[0], /^\/api\/v1\/repos\/team\/tide-tables\/pulls\b.* Bearer ghp_hunter2$/)
  await workroom.eventually(async () => (await textIn(ada, 'Access token')) === '')
  for (const label of Object.keys(fields)) t.equal(await textIn(ada, label), '', 'the form is cleared')
  t.notMatch((await ada.content()) + (await phone.content()), 'hunter2')
  await button(ada, 'Unlink tides').click()
  await confirmIt(ada, 'Unlink')
  for (const page of [phone, ada]) await main(page).getByText('No repositories linked.').waitFor()
  t.same(await linked(), [])
  t.ok(existsSync(join(source, 'HEAD')), 'the linked folder itself is untouched')
})

t.test('links are edited, and a deleted document is restored from the trash', async (t) => {
  await ada.goto('/projects/general/links')
  await phone.goto('/projects/general/links')
  await fold(ada, 'Edit links').click()
  await ada.getByLabel('One link per line').fill('- Tides')
  browser.expectError(ada, /status of 422/)
  await button(ada, 'Save links').click()
  await ada.locator('#links-form').getByRole('alert').waitFor()
  await ada.getByLabel('One link per line').fill('- [Tides](https://tides.example/): when')
  await button(ada, 'Save links').click()
  await phone.getByRole('link', { name: 'Tides' }).waitFor()

  await request('PUT', `${tree}/docs/bell.md`, { body: '# Bell\n' })
  await ada.goto('/projects/general/trash')
  await main(ada).getByText('The trash is empty.').waitFor()
  await request('DELETE', `${tree}/docs/bell.md`)
  await button(ada, 'Restore Bell').click()
  await main(ada).getByText('The trash is empty.').waitFor()
  t.equal((await request('GET', `${tree}/docs/bell.md`)).status, 200)
})
