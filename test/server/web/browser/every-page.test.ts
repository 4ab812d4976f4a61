import t from 'tap'
import { endpointsOfApp } from '../../../support/app-endpoints.ts'
import { openBrowser } from '../../../support/browser.ts'
import { makeHostile } from '../../../support/hostile-sample.ts'
import { PageInspector } from '../../../support/page-inspector.ts'
import { samplePages } from '../../../support/sample-pages.ts'
import { openSample } from '../../../support/sample-workspace.ts'

const browser = await openBrowser(t)
const sample = await openSample(t)
// What holds where somebody means harm holds elsewhere, too.
const hostile = await makeHostile(sample)
const inspector = new PageInspector(browser, sample)
const pages = samplePages(sample)

for (const page of pages) {
  t.test(
    `${page.name}: whole, harmless, for everybody, on a phone and on a laptop, by day and by night`,
    (t) => inspector.inspect(t, page, { isForEverybody: true }),
  )
}

/** What is no page: for programs, for pages to load, and files as they were uploaded. */
const otherRoutes =
  /^\/(?:(?:api|v1|dav|metrics|healthz|assets|avatars|icons|download|mcp|navigation)(?:\/|$)|manifest\.webmanifest$|openapi\.json$|llms\.txt$|service-worker\.js$|projects\/:slug\/files\/)/

t.test('no page is missing here', async (t) => {
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
