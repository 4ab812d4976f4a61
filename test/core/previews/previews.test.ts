import { mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { databasePath } from '../../../data/home.ts'
import { type Outbound, openOutbound } from '../../../data/outbound/http.ts'
import { eventually } from '../../support/eventually.ts'
import { openProjectFolder } from '../../support/project-folder.ts'
import type { WorkroomOptions } from '../../support/workroom.ts'
import { openSite } from './site.ts'

const dayMs = 24 * 60 * 60 * 1000
const project = '/v1/fs/projects/general'

/** A project folder in a workspace with these allowed outbound addresses. */
async function openPress(t: Test, allow: string[], options: WorkroomOptions = {}) {
  const workroom = await openProjectFolder(t, {
    ...options,
    config: { ...options.config, outbound: { allow } },
  })
  let posts = 0
  const write = async (folder: string, text: string) => {
    posts += 1
    const path = `${project}/${folder}/post-${posts}.md`
    const { status, json } = await workroom.request('PUT', path, { body: `# Post ${posts}\n\n${text}\n` })
    if (status !== 201) throw new Error(JSON.stringify(json))
    return json as { path: string; filename: string }
  }
  const titles = (...links: string[]) =>
    workroom.workspace.rendering.previews.previewsFor(links).map(({ title }) => title)
  const press = {
    titles,
    draft: (text: string) => write('drafts', text),
    publish: (text: string) => write('posts', text),
    /** Waits for the preview of a page. */
    known: (link: string) => eventually(() => titles(link)[0]),
  }
  // Copies descriptors, because the workroom's getters return new values after a restart.
  return Object.defineProperties(press, Object.getOwnPropertyDescriptors(workroom)) as typeof workroom &
    typeof press
}

/** Most tests share it, each with a site of its own. */
const shared = await openPress(t, ['127.0.0.1'])

t.test('publishing a post fetches previews of the pages that it links to', async (t) => {
  const image = '<meta property="og:image" content="/cat.png"><meta property="og:title" content="A cat">'
  const site = await openSite(t, (_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.end(`<title>x</title>${image}<meta name="description" content="It sleeps.">`)
  })
  const { publish, known, workspace } = shared
  const link = `${site.url}cat`
  await publish(`[a cat](${link}#part) \`${site.url}code\``)
  await known(link)
  t.strictSame(workspace.rendering.previews.previewsFor([`${site.url}unknown`, link]), [
    { url: link, title: 'A cat', description: 'It sleeps.', imageUrl: `${site.url}cat.png` },
  ])
  t.strictSame(site.asked, ['/cat'], 'an address in code is not a link')
})

t.test('every way of publishing fetches previews, and no other write does', async (t) => {
  const site = await openSite(t)
  const { at, clock, draft, known, put, request } = shared
  const link = (name: string) => `${site.url}${name}`
  await put('A document', link('document'))
  await request('PUT', `${project}/board/02-todo/a-card.md`, { body: `# A card\n\n${link('card')}\n` })
  const published = await draft(link('published'))
  await request('POST', `${published.path}/_publish`)
  await known(link('published'))

  await request('PUT', `${project}/drafts/later.md`, {
    body: `---\nscheduledFor: ${clock.now() + 1000}\n---\n# Later\n\n${link('scheduled')}\n`,
  })
  clock.advance(1000)
  await known(link('scheduled'))

  const moved = await draft(link('moved'))
  mkdirSync(dirname(at('posts/x.md')), { recursive: true })
  renameSync(at(`drafts/ada/${moved.filename}`), at(`posts/${moved.filename}`))
  await known(link('moved'))
  t.strictSame(site.asked, ['/published', '/scheduled', '/moved'])
})

t.test('no write or read waits for a page that hangs', async (t) => {
  const site = await openSite(t)
  site.hold()
  const { publish, request, titles } = shared
  const links = [1, 2, 3, 4, 5].map((n) => `${site.url}${n}`)
  const { path } = await publish(links.join('\n'))
  await site.wasAsked(4)
  t.equal((await request('GET', path)).status, 200)
  const { path: next } = await publish(`${site.url}6`)
  t.equal((await request('GET', next)).status, 200)
  t.strictSame(titles(...links), [])
  t.equal(site.busiest, 4, 'at most four are fetched at once')
  site.release()
  await eventually(() => titles(...links, `${site.url}6`).length === 6)
  t.equal(site.busiest, 4)
  t.strictSame(site.asked.toSorted(), ['/1', '/2', '/3', '/4', '/5', '/6'], 'each is fetched once')
})

t.test(
  'a preview requested after seven days is fetched again, and the old one is shown meanwhile',
  async (t) => {
    let edition = 1
    const site = await openSite(t, (_, response) => {
      response.setHeader('Content-Type', 'text/html').end(`<title>Edition ${edition}</title>`)
    })
    const { clock, known, publish, titles } = shared
    await publish(site.url)
    await known(site.url)
    edition = 2
    clock.advance(7 * dayMs - 1)
    await publish(site.url)
    t.strictSame(titles(site.url), ['Edition 1'])
    clock.advance(1)
    site.hold()
    t.strictSame(titles(site.url), ['Edition 1'], 'showing the preview requests a new fetch')
    await site.wasAsked(2)
    t.strictSame(titles(site.url), ['Edition 1'])
    site.release()
    await eventually(() => titles(site.url)[0] === 'Edition 2')
    edition = 3
    clock.advance(7 * dayMs)
    await publish(site.url)
    await eventually(() => titles(site.url)[0] === 'Edition 3')
    t.equal(site.asked.length, 3)
  },
)

t.test('a failed page is tried again after an hour, and its old preview stays', async (t) => {
  let isUp = false
  const site = await openSite(t, ({ url }, response) => {
    response.statusCode = isUp || url !== '/' ? 200 : 500
    response.setHeader('Content-Type', 'text/html').end(`<title>Up ${url}</title>`)
  })
  const { clock, known, publish, titles } = shared
  /** Waits for all requested fetches. @returns how often the page was fetched */
  const timesAsked = async () => {
    // Fetches run four at a time, so two later pages come last.
    for (const number of [1, 2]) {
      const link = `${site.url}${clock.now()}-${number}`
      await publish(link)
      await known(link)
    }
    return site.asked.filter((path) => path === '/').length
  }
  await publish(site.url)
  t.equal(await timesAsked(), 1)
  clock.advance(dayMs / 24 - 1)
  await publish(site.url)
  t.equal(await timesAsked(), 1)
  isUp = true
  clock.advance(1)
  await publish(site.url)
  t.equal(await known(site.url), 'Up /')
  isUp = false
  clock.advance(7 * dayMs)
  await publish(site.url)
  t.equal(await timesAsked(), 3)
  t.strictSame(titles(site.url), ['Up /'])
})

t.test('the server’s own pages are not fetched', async (t) => {
  const site = await openSite(t)
  const { known, log, publish, url, workspace } = shared
  await publish(`${url}/healthz ${site.url}`)
  await known(site.url)
  t.strictSame(workspace.rendering.previews.previewsFor([`${url}/healthz`]), [])
  t.match(log.text(), '/posts/', 'the log holds requests')
  t.notMatch(log.text(), '/healthz')
})

t.test('previews still wanted when the server stops are fetched after the next start', async (t) => {
  const site = await openSite(t)
  site.hold()
  const { publish, restart, titles } = shared
  const links = [1, 2, 3, 4, 5].map((n) => `${site.url}${n}`)
  await publish(links.join('\n'))
  await site.wasAsked(4)
  // If the stop waited for the pages, they would time out and no longer be wanted.
  await restart(site.release)
  await eventually(() => titles(...links).length === 5)
  t.equal(site.asked.filter((path) => path === '/5').length, 1)
  await restart()
  t.equal(titles(...links).length, 5)
  t.equal(site.asked.length, 9, 'the next start fetches nothing again')
})

t.test('a draft stored before links were extracted can still be published', async (t) => {
  const { draft, home, request, restart } = shared
  const { path } = await draft('https://a.example/')
  await restart(() => {
    const database = new Sqlite(databasePath(home))
    database.exec("UPDATE revisions SET digest = json_remove(digest, '$.links')")
    database.close()
  })
  t.equal((await request('POST', `${path}/_publish`)).status, 201)
})

t.test('no page is fetched from a blocked address', async (t) => {
  const site = await openSite(t)
  const guarded = openOutbound({ allow: [] })
  const outcomes: string[] = []
  const outbound: Outbound = {
    ...guarded,
    async request(request, signal) {
      const outcome = await guarded.request(request, signal)
      outcomes.push(outcome.kind === 'failure' ? outcome.category : 'answer')
      return outcome
    },
  }
  const { publish } = await openPress(t, [], { faults: { outbound } })
  const links = ['http://[::1]/', 'https://10.0.0.1/', 'https://169.254.169.254/', 'https://0x7f.1/']
  await publish([site.url, ...links].map((link) => `<${link}>`).join('\n'))
  await eventually(() => outcomes.length === 5)
  t.strictSame(outcomes, Array(5).fill('blocked_address'))
  t.strictSame(site.asked, [])
})

t.test('a page that triggers a bug is logged, and not fetched again and again', async (t) => {
  let calls = 0
  const outbound: Outbound = {
    async request() {
      calls += 1
      throw new TypeError('a fault')
    },
    checkUrl: async () => null,
  }
  const { log, publish } = await openPress(t, [], { faults: { outbound } })
  await publish('https://a.example/')
  await eventually(() => log.text().includes('could not be read for its preview'))
  await publish('https://a.example/ https://b.example/')
  await eventually(() => calls === 2)
  t.notMatch(log.text(), 'a.example', 'addresses that people link to are not logged')
})
