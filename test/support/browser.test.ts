import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { findViolations } from './axe.ts'
import { launchBrowser, openBrowser } from './browser.ts'
import { type BrowserBinary, type BrowserChoice, chooseBinary } from './browser-binary.ts'

const browser = await openBrowser(t)

const html = `<!doctype html><html lang="en"><head><title>Bad</title></head><body>
<main><h1 style="color: red">Bad</h1><img src="https://elsewhere.example/x.png"><button></button></main>
<script src="/bad.js"></script></body></html>`
const server = createServer((request, response) => {
  if (request.url === '/') {
    response.setHeader('Content-Type', 'text/html')
    response.setHeader('Content-Security-Policy', "script-src 'self'; style-src 'self'")
    response.end(html)
  } else if (request.url === '/bad.js') {
    response.end(
      `console.error('said so'); setTimeout(() => { alert('Hello'); throw new Error('uncaught') })`,
    )
  } else {
    response.statusCode = 500
    response.end()
  }
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
t.teardown(() => server.close())
const site = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }

t.test('a test fails with everything that went wrong on its pages', async (t) => {
  const page = await browser.openSignedOutPage(site)
  const uncaught = page.waitForEvent('pageerror')
  await page.goto('/')
  await uncaught
  await t.rejects(browser.requireNoErrors(), {
    message: new RegExp(
      [
        'elsewhere.example/x.png is none of',
        'Content Security Policy',
        'elsewhere.example/x.png failed',
        'said so',
        'A dialog says: Hello',
        'Error: uncaught',
      ]
        .map((line) => `(?=[^]*${line})`)
        .join(''),
    ),
  })
  t.strictSame(
    (await findViolations(page)).map((line) => line.split(': ').slice(0, 2).join(' ')),
    ['button-name button', 'image-alt img'],
  )
  await page.goto('/missing')
  browser.expectError(page, /status of 500/)
  await t.resolves(browser.requireNoErrors(), 'an expected error is not reported')
})

t.test('a missing browser fails the tests that need it, and skips none', async (t) => {
  const before = process.env.WORKROOM_CHROMIUM
  t.teardown(() => {
    if (before === undefined) delete process.env.WORKROOM_CHROMIUM
    else process.env.WORKROOM_CHROMIUM = before
  })
  process.env.WORKROOM_CHROMIUM = '/nowhere/chromium'
  await t.rejects(launchBrowser(), { message: /\/nowhere\/chromium/ })
})

t.test('the packaged browser is used, and an installed one only if it does not run', async (t) => {
  const packaged: BrowserBinary = { path: '/packaged', env: { A: 'b' } }
  const started: string[] = []
  const choice: BrowserChoice = {
    named: undefined,
    packaged: async () => packaged,
    installedPaths: ['/one', '/two', '/three'],
    exists: (path) => path !== '/one',
    start: async ({ path }) => void started.push(path),
  }
  const broken = async () => {
    throw new Error('libnss3.so is missing')
  }
  const two = { path: '/two', env: {} }
  t.strictSame(await chooseBinary(choice), packaged)
  t.strictSame(started, ['/packaged'], 'the packaged browser is tried')
  t.strictSame(await chooseBinary({ ...choice, start: broken }), two, 'it does not start')
  t.strictSame(await chooseBinary({ ...choice, packaged: broken }), two, 'it cannot be unpacked')
  t.strictSame(await chooseBinary({ ...choice, packaged: null }), two, 'there is none for the machine')
  t.strictSame(await chooseBinary({ ...choice, named: '/mine' }), { path: '/mine', env: {} })
  t.equal(started.length, 1, 'a named browser is not tried')
  const nothing = { ...choice, exists: () => false }
  await t.rejects(chooseBinary({ ...nothing, start: broken }), {
    message: /does not run: libnss3\.so is missing.*Install Chromium.*WORKROOM_CHROMIUM.*\/three/,
  })
  await t.rejects(chooseBinary({ ...nothing, packaged: null }), {
    message: /none comes along.*Install Chromium/,
  })
})
