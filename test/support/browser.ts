import { createRequire } from 'node:module'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Test } from 'tap'
import { browserBinary } from './browser-binary.ts'
import { BrowserErrors } from './browser-errors.ts'
import type { Actor } from './chat.ts'
import { ScriptlessBrowser } from './scriptless-browser.ts'
import type { Workroom } from './workroom.ts'

// `import` would read all of its code for names first, which takes as long as to run it.
const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof import('playwright-core')

export interface PageOptions {
  /** The size of the window: a laptop's, 1280 × 800 (default), or a phone's, 375 × 812, with touch. */
  window?: 'laptop' | 'phone'
  colorScheme?: 'light' | 'dark'
  /** Where the reader is, such as `Pacific/Auckland`; default UTC. */
  timezoneId?: string
  /** The reader's language; default `en-GB`. */
  locale?: string
  /** False shows what is read without any script. */
  javaScriptEnabled?: boolean
  /** Whether service workers run; default false. */
  hasServiceWorkers?: boolean
}

interface BrowserOptions {
  /** Whether it says why a page could not be kept for Back and Forward; default false: it keeps none. */
  keepsPages?: boolean
}

/** The Workroom that is looked at. Pages have the time that its clock has when they are opened. */
export type Served = Pick<Workroom, 'url' | 'request' | 'workspace' | 'clock'>

const windows: Record<
  'laptop' | 'phone',
  { viewport: { width: number; height: number }; isMobile?: boolean; hasTouch?: boolean }
> = {
  laptop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true },
}

/** No site of the world can be reached. */
const flags = [
  '--disable-gpu',
  '--font-render-hinting=none',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** One Chromium, in which any number of people have windows of their own. */
export class TestBrowser {
  private readonly chromium: Browser
  private readonly devtools = new Map<Page, CDPSession>()
  private readonly complaints = new Map<BrowserContext, BrowserErrors>()

  constructor(chromium: Browser) {
    this.chromium = chromium
  }

  /**
   * A page of somebody who is signed in, who shares nothing with others in this browser. Paths can be opened as they are:
   * `page.goto('/rooms')`.
   */
  async person(
    workroom: Served,
    { member }: Pick<Actor, 'member'>,
    options: PageOptions = {},
  ): Promise<Page> {
    const page = await this.visitor(workroom, options)
    await page.clock.setFixedTime(workroom.clock.now())
    const link = await workroom.workspace.stores.signinLinks.issue(member)
    const plain = new ScriptlessBrowser(workroom, `HeadlessChrome/${this.chromium.version()}`)
    await plain.submit(link.path, {})
    const [name, value] = plain.cookie!.split('=') as [string, string]
    await page.context().addCookies([{ name, value, url: workroom.url, httpOnly: true, sameSite: 'Lax' }])
    return page
  }

  /** A page of somebody who is not signed in. */
  async visitor(workroom: Pick<Workroom, 'url'>, options: PageOptions = {}): Promise<Page> {
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
    this.complaints.set(context, new BrowserErrors(workroom, context))
    return context.newPage()
  }

  /** The same page in another window: as large, and to be used with a finger or with a mouse, as that one is. */
  async resize(page: Page, window: 'laptop' | 'phone'): Promise<void> {
    const { viewport, hasTouch = false, isMobile = false } = windows[window]
    const devtools = await this.devtoolsOf(page)
    await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: hasTouch })
    const metrics = { ...viewport, deviceScaleFactor: 1, mobile: isMobile }
    await devtools.send('Emulation.setDeviceMetricsOverride', metrics)
    // Rules of style apply with the next frame, and what observes sizes follows in the one behind it.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  }

  /** Resolves when whatever answers the page has got so far have brought about is done: another one has come behind them. */
  async answersTaken(page: Page): Promise<void> {
    await page.evaluate("fetch('/navigation?at=/').then((answer) => answer.text())")
  }

  private async devtoolsOf(page: Page): Promise<CDPSession> {
    const session = this.devtools.get(page) ?? (await page.context().newCDPSession(page))
    this.devtools.set(page, session)
    return session
  }

  /** Says that a page will complain in this test, as it should: `expect(page, /status of 403/)`. */
  expect(page: Page, complaint: RegExp): void {
    this.complaints.get(page.context())!.expect(complaint)
  }

  /** @throws when a page has complained of anything since the last call */
  async requireContent(): Promise<void> {
    const lines = await Promise.all([...this.complaints.values()].map((one) => one.take()))
    const said = lines.flat()
    if (said.length > 0) throw new Error(`The pages complain:\n${said.join('\n')}`)
  }

  close(): Promise<void> {
    return this.chromium.close()
  }
}

/** The browser of a test file. After each of its tests no page may have complained: see `Complaints`. */
export async function openBrowser(t: Test, options: BrowserOptions = {}): Promise<TestBrowser> {
  const browser = await launchBrowser({}, options)
  t.teardown(() => browser.close())
  t.afterEach(() => browser.requireContent())
  return browser
}

/** @param env in place of what the browser is started with */
export async function launchBrowser(
  env: Record<string, string> = {},
  { keepsPages = false }: BrowserOptions = {},
): Promise<TestBrowser> {
  const binary = await browserBinary()
  const launched = await chromium.launch({
    executablePath: binary.path,
    args: flags,
    ...(keepsPages && { ignoreDefaultArgs: ['--disable-back-forward-cache'] }),
    // It shows nothing but our own pages, and as root, as in many containers, it has no sandbox to be in.
    chromiumSandbox: false,
    env: { ...process.env, ...binary.env, ...env },
  })
  return new TestBrowser(launched)
}
