import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAccessibility } from '../../../support/axe.ts'
import { openBrowser } from '../../../support/browser.ts'
import { startWorkroom } from '../../../support/workroom.ts'

const browser = await openBrowser(t)
const workroom = await startWorkroom(t)
const main = (page: Page) => page.getByRole('main')

for (const window of ['laptop', 'phone'] as const) {
  t.test(`a project is renamed, moved, deleted by its typed name and restored, on a ${window}`, async (t) => {
    const page = await browser.openPageAs(workroom, workroom.owner, { window })
    t.teardown(() => page.context().close())
    const { project } = (await workroom.request('POST', '/v1/projects', { body: { name: `Pier ${window}` } }))
      .json
    await page.goto(`/projects/${project.slug}/settings`)
    await main(page).getByLabel('The project’s address').fill(`quay-${window}`)
    await main(page).getByRole('button', { name: 'Change address' }).click()
    await page.waitForURL(`/projects/quay-${window}/settings`)
    await page.goto(`/projects/${project.slug}/board`)
    t.match(page.url(), `/projects/quay-${window}/board`)

    await page.goto(`/projects/quay-${window}/settings`)
    await main(page).getByLabel('The project’s name').fill(`Mole ${window}`)
    await main(page).getByRole('button', { name: 'Rename' }).click()
    await page.locator('#said').getByText('Renamed.').waitFor()
    await main(page).locator('summary', { hasText: 'Delete this project' }).click()
    await checkAccessibility(t, page)
    const confirmation = main(page).getByLabel('to confirm')
    browser.expectError(page, /status of 400/)
    await confirmation.fill('mole')
    await main(page).getByRole('button', { name: 'Delete project' }).click()
    await main(page).getByRole('alert').getByText('confirm its name').waitFor()
    await confirmation.fill(`Mole ${window}`)
    await main(page).getByRole('button', { name: 'Delete project' }).click()
    await page.waitForURL('/projects')
    t.equal(await page.getByRole('link', { name: `Mole ${window}` }).count(), 0)

    await main(page).locator('summary', { hasText: 'Deleted (1)' }).click()
    await checkAccessibility(t, page)
    await main(page)
      .getByRole('button', { name: `Restore Mole ${window}` })
      .click()
    await main(page)
      .getByRole('link', { name: `Mole ${window}` })
      .waitFor()
    t.equal((await workroom.request('GET', `/v1/projects/quay-${window}`)).status, 200)
  })
}
