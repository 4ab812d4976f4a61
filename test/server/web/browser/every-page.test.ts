import t from 'tap'
import { endpointsOfApp } from '../../../support/app-endpoints.ts'
import { openBrowser } from '../../../support/browser.ts'
import { makeHostile } from '../../../support/hostile-sample.ts'
import { PageInspector } from '../../../support/page-inspector.ts'
import { samplePages } from '../../../support/sample-pages.ts'
import { openSample } from '../../../support/sample-workspace.ts'

const browser = await openBrowser(t)
const sample = await openSample(t)
// The checks of pages with hostile content hold for all others, too.
const hostile = await makeHostile(sample)
const inspector = new PageInspector(browser, sample)
const pages = samplePages(sample)

for (const page of pages) {
  t.test(`${page.name} is complete, harmless and accessible, on phone and laptop, in light and dark`, (t) =>
    inspector.inspect(t, page, { isForEverybody: true }),
  )
}

/** Routes that are not pages: for programs, loaded by pages, and uploaded files. */
const otherRoutes =
  /^\/(?:(?:api|v1|dav|metrics|healthz|assets|avatars|icons|download|mcp|navigation)(?:\/|$)|manifest\.webmanifest$|openapi\.json$|llms\.txt$|service-worker\.js$|projects\/:slug\/files\/)/

t.test('every page of the app is in the list of sample pages', async (t) => {
  const paths = [...pages, ...hostile].map(({ path }) => path.split('?')[0]!)
  for (const { method, path } of endpointsOfApp(sample.workspace)) {
    if (method !== 'GET' || otherRoutes.test(path)) continue
    const route = new RegExp(`^${path.replace(/:\w+/g, '[^/]+').replace(/\*\w+/g, '.+')}$`)
    t.ok(
      paths.some((one) => route.test(one)),
      `${path} has a page in sample-pages.ts`,
    )
  }
})
