import { createRequire } from 'node:module'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Test } from 'tap'
import { browserBinary } from './browser-binary.ts'
import { BrowserErrors } from './browser-errors.ts'
import type { Actor } from './chat.ts'
import { atProcessEnd } from './process-end.ts'
import { ScriptlessBrowser } from './scriptless-browser.ts'
import type { Workroom } from './workroom.ts'

// `import` would first parse all of its code for exports, which doubles the time.
const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof import('playwright-core')

export interface PageOptions {
  /** A laptop's window, 1280 × 800 (default), or a phone's, 375 × 812, with touch. */
  window?: 'laptop' | 'phone'
  colorScheme?: 'light' | 'dark'
  /** The reader's time zone; default UTC. */
  timezoneId?: string
  locale?: string
  javaScriptEnabled?: boolean
  hasServiceWorkers?: boolean
}

interface BrowserOptions {
  /** Whether the cache for Back and Forward is on; default false. */
  usesPageCache?: boolean
}

/** The workspace that pages show. A page's time is that of its clock when the page is opened. */
export type ServedWorkspace = Pick<Workroom, 'url' | 'request' | 'workspace' | 'clock'>

const windows: Record<
  'laptop' | 'phone',
  { viewport: { width: number; height: number }; isMobile?: boolean; hasTouch?: boolean }
> = {
  laptop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true },
}

/** The last one makes every other host unreachable. */
const flags = [
  '--disable-gpu',
  '--font-render-hinting=none',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** A Chromium with separate contexts for any number of people. */
export class TestBrowser {
  private readonly devtools = new Map<Page, CDPSession>()
  private readonly errors = new Map<BrowserContext, BrowserErrors>()

  constructor(private readonly chromium: Browser) {}

  /** Opens a page of a signed-in member, in a context of its own with the server as base URL. */
  async openPageAs(
    workroom: ServedWorkspace,
    { member }: Pick<Actor, 'member'>,
    options: PageOptions = {},
  ): Promise<Page> {
    const page = await this.openSignedOutPage(workroom, options)
    await page.clock.setFixedTime(workroom.clock.now())
    const link = await workroom.workspace.stores.signinLinks.issue(member)
    const plain = new ScriptlessBrowser(workroom, `HeadlessChrome/${this.chromium.version()}`)
    await plain.submit(link.path, {})
    const [name, value] = plain.cookie!.split('=') as [string, string]
    await page.context().addCookies([{ name, value, url: workroom.url, httpOnly: true, sameSite: 'Lax' }])
    return page
  }

  /** Opens a page for somebody who is not signed in. */
  async openSignedOutPage(workroom: Pick<Workroom, 'url'>, options: PageOptions = {}): Promise<Page> {
    const {
      window = 'laptop',
      colorScheme = 'light',
      timezoneId = 'UTC',
      locale = 'en-GB',
      javaScriptEnabled = true,
    } = options
    const serviceWorkers = options.hasServiceWorkers ? 'allow' : 'block'
    const context = await this.chromium.newContext({
      ...windows[window],
      baseURL: workroom.url,
      colorScheme,
      javaScriptEnabled,
      locale,
      timezoneId,
      reducedMotion: 'reduce',
      serviceWorkers,
    })
    this.errors.set(context, new BrowserErrors(workroom, context))
    const page = keepIntercepting(await context.newPage())
    return javaScriptEnabled ? waitForStarts(page) : page
  }

  /** Gives a page the size and the input, touch or mouse, of another window. */
  async resize(page: Page, window: 'laptop' | 'phone'): Promise<void> {
    const { viewport, hasTouch = false, isMobile = false } = windows[window]
    const devtools = await this.devtoolsOf(page)
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: hasTouch })
    const metrics = { ...viewport, deviceScaleFactor: 1, mobile: isMobile }
    await devtools.send('Emulation.setDeviceMetricsOverride', metrics)
    // Styles apply with the next frame, and size observers run in the frame after it.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }

  /** Waits until the page has processed the responses it has received, by having it make another request. */
  async waitForResponses(page: Page): Promise<void> {
    await page.evaluate("fetch('/navigation?at=/').then((answer) => answer.text())")
  }

  private async devtoolsOf(page: Page): Promise<CDPSession> {
    const session = this.devtools.get(page) ?? (await page.context().newCDPSession(page))
    this.devtools.set(page, session)
    return session
  }

  /** Expects an error on a page until the end of the test: `expect(page, /status of 403/)`. */
  expectError(page: Page, pattern: RegExp): void {
    this.errors.get(page.context())!.expect(pattern)
  }

  /** @throws if a page had an unexpected error since the last call */
  async requireNoErrors(): Promise<void> {
    const lines = await Promise.all([...this.errors.values()].map((one) => one.take()))
    const unexpected = lines.flat()
    if (unexpected.length > 0) throw new Error(`The pages complain:\n${unexpected.join('\n')}`)
  }

  async closePages(): Promise<void> {
    await Promise.all([...this.errors.keys()].map((context) => context.close()))
  }

  close(): Promise<void> {
    return this.chromium.close()
  }
}

/**
 * Requests that are sent just as Chromium stops intercepting them may never be answered. Once a page has had a route,
 * interception therefore stays on, even after the route is removed.
 */
function keepIntercepting(page: Page): Page {
  const route = page.route.bind(page)
  let isKept = false
  page.route = async (...args) => {
    if (!isKept) await page.context().route('never:*', (one) => one.continue())
    isKept = true
    return route(...args)
  }
  return page
}

/**
 * `goto` and `reload` return once the page's modules have started, which may be after its load event, unless `waitUntil`
 * names another moment.
 */
function waitForStarts(page: Page): Page {
  const hasStarted = page.locator('html[data-started], html:not(:has(script[src^="/assets/app-"]))')
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)]
  page.goto = async (url, options) => {
    const response = await goto(url, options)
    if (!options?.waitUntil) await hasStarted.waitFor({ state: 'attached' })
    return response
  }
  page.reload = async (options) => {
    const response = await reload(options)
    if (!options?.waitUntil) await hasStarted.waitFor({ state: 'attached' })
    return response
  }
  return page
}

/**
 * Opens the browser for a test file, whose pages close with it. Its tests fail if a page has an unexpected error
 * (`BrowserErrors`). All files of a process share one Chromium for each set of options.
 */
export async function openBrowser(t: Test, options: BrowserOptions = {}): Promise<TestBrowser> {
  const browser = new TestBrowser(await chromiumOfProcess(options))
  t.teardown(() => browser.closePages())
  t.afterEach(() => browser.requireNoErrors())
  return browser
}

const launched = new Map<boolean, Promise<Browser>>()

function chromiumOfProcess({ usesPageCache = false }: BrowserOptions): Promise<Browser> {
  const running = launched.get(usesPageCache)
  if (running) return running
  const launching = launchChromium({}, { usesPageCache })
  launched.set(usesPageCache, launching)
  atProcessEnd(async () => (await launching).close())
  return launching
}

export const launchBrowser = async (env: Record<string, string> = {}): Promise<TestBrowser> =>
  new TestBrowser(await launchChromium(env))

async function launchChromium(
  env: Record<string, string>,
  { usesPageCache = false }: BrowserOptions = {},
): Promise<Browser> {
  const binary = await browserBinary()
  return chromium.launch({
    executablePath: binary.path,
    args: flags,
    ...(usesPageCache && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
    // It shows only our own pages, and the sandbox does not work as root, as in many containers.
    chromiumSandbox: false,
    env: { ...process.env, ...binary.env, ...env },
  })
}
