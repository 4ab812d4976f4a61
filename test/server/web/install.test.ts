import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const { request } = await startWorkroom(t)

t.test('the app can be installed: manifest, icons and an always fresh service worker', async (t) => {
  const manifest = await request('GET', '/manifest.webmanifest', { key: undefined })
  t.equal(manifest.headers['content-type'], 'application/manifest+json; charset=utf-8')
  const described = JSON.parse(manifest.text)
  t.match(described, { display: 'standalone', start_url: '/', scope: '/' })
  for (const { src } of described.icons) {
    const icon = await request('GET', src, { key: undefined })
    t.match([icon.status, icon.headers['content-type']], [200, 'image/png'])
  }
  const worker = await request('GET', '/service-worker.js', { key: undefined })
  t.match(worker.headers, { 'cache-control': 'no-cache' })
  t.notMatch(worker.text, /fetch|caches/, 'the worker answers no requests and caches nothing')
})
