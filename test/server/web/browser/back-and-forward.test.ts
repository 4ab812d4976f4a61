import t from 'tap'
import { openBrowser } from '../../../support/browser.ts'
import { openSample } from '../../../support/sample-workspace.ts'

const browser = await openBrowser(t, { usesPageCache: true })
const sample = await openSample(t)
const page = await browser.openPageAs(sample, sample.people.ada)

const devtools = await page.context().newCDPSession(page)
await devtools.send('Page.enable')

/** Reasons that hold in this Chromium for every page. */
const ofThisBrowser = ['BackForwardCacheDisabledForDelegate', 'BrowsingInstanceNotSwapped']

/** Goes back. @returns the other reasons why Chromium did not keep the page */
async function goBack(): Promise<string[]> {
  const said = new Promise<string[]>((resolve) =>
    devtools.once('Page.backForwardCacheNotUsed', ({ notRestoredExplanations }) =>
      resolve(
        notRestoredExplanations.map(({ reason }) => reason).filter((one) => !ofThisBrowser.includes(one)),
      ),
    ),
  )
  await page.goBack()
  return said
}

for (const window of ['laptop', 'phone'] as const) {
  t.test(
    `on a ${window} nothing on a page keeps the browser from showing it at once on Back and Forward`,
    async (t) => {
      await browser.resize(page, window)
      const project = '/projects/harbour'
      const paths = ['/', '/inbox', `/rooms/${sample.ids.release}`, project, `${project}/docs/onboarding`]
      for (const path of [...paths, `${project}/board`, `${project}/board/1`, `${project}/docs`, '/help']) {
        const held = page.waitForRequest(/\/v1\/events/)
        const response = await page.goto(path)
        t.equal(response!.headers()['cache-control'], 'private, no-cache', path)
        await held
        await page.goto('/projects')
        t.strictSame(await goBack(), [], path)
      }
    },
  )
}

t.test('a page with a secret or an editor is never stored by the browser', async (t) => {
  for (const path of ['/account/keys', '/members', '/invites', '/projects/harbour/edit/docs/onboarding']) {
    const response = await page.goto(path)
    t.equal(response!.headers()['cache-control'], 'no-store', path)
  }
})
