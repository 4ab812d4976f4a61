import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { obstacles } from './axe.ts'
import { openBrowser } from './browser.ts'

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

t.test('a page that complains fails its test, by all that went wrong on it', async (t) => {
  const page = await browser.visitor(site)
  const uncaught = page.waitForEvent('pageerror')
  await page.goto('/')
  await uncaught
  await t.rejects(browser.requireContent(), {
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
    (await obstacles(page)).map((line) => line.split(': ').slice(0, 2).join(' ')),
    ['button-name button', 'image-alt img'],
  )
  await page.goto('/missing')
  browser.expect(page, /status of 500/)
  await t.resolves(browser.requireContent(), 'what a test expects is no complaint')
})
