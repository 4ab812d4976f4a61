import type { Outbound, OutboundRequest, OutboundResponse } from '../../data/outbound/http.ts'

/** The webhooks of the sample's agents; the second one always fails. */
export const agentUrls = {
  scout: 'https://agents.example/scout',
  reviewer: 'https://agents.example/reviewer',
}

/** The sample's forge, in the form of a request that links a repository. */
export const sampleForge = {
  api: 'https://forge.example/api/v1',
  owner: 'harbour',
  name: 'app',
  token: 'none',
}

export const hostileForge = { ...sampleForge, owner: 'hostile' }

export const previewedUrl = 'https://tides.example/rules'

const answer = (status: number, type: string, body: string): OutboundResponse => ({
  kind: 'response',
  status,
  headers: { 'content-type': type },
  body: Buffer.from(body),
  isTruncated: false,
})
const json = (value: unknown) => answer(200, 'application/json', JSON.stringify(value))

/** A simulated network for the sample: a forge, pages and agents with fixed responses. */
export const sampleNetwork: Outbound = {
  checkUrl: async () => null,
  request: async (request) => answerTo(request),
}

function answerTo({ url, headers = {} }: OutboundRequest): OutboundResponse {
  const { pathname } = new URL(url)
  if (url === previewedUrl) return answer(200, 'text/html; charset=utf-8', previewedPage)
  if (url === agentUrls.scout) return answer(204, 'text/plain', '')
  if (url === agentUrls.reviewer) return answer(503, 'text/plain', 'Out of order')
  const pulls = pathname.includes(`/${hostileForge.owner}/`) ? hostilePulls : harmlessPulls
  const [, number] = /\/pulls(?:\/(\d+))?$/.exec(pathname) ?? []
  if (number === undefined && pathname.endsWith('/pulls')) return json(pulls)
  const pull = pulls.find((one) => String(one.number) === number)
  if (!pull) return answer(404, 'application/json', '{}')
  return headers.accept?.includes('diff') || headers.Accept?.includes('diff')
    ? answer(200, 'application/vnd.github.diff', pulls === hostilePulls ? hostileDiff : diff)
    : json(pull)
}

const previewedPage = `<!doctype html><html><head><title>Rules of the tide</title>
<meta property="og:title" content="Rules of the tide">
<meta property="og:description" content="Why the berth that is free at noon is not the one that is free at six.">
</head></html>`

const pullOf = (number: number, title: string, more: object = {}) => ({
  number,
  title,
  state: 'open',
  draft: false,
  merged_at: null,
  head: { ref: `fix/${number}`, sha: 'a'.repeat(40) },
  base: { ref: 'main', sha: 'b'.repeat(40) },
  user: { login: 'linus' },
  body: 'Closes card 4. The tide table is read **once** a day:\n\n- less traffic\n- no more races at midnight\n',
  html_url: `https://forge.example/harbour/app/pulls/${number}`,
  updated_at: new Date(Date.UTC(2026, 5, 17, 10, number)).toISOString(),
  ...more,
})

const harmlessPulls = [
  pullOf(31, 'Read the tide table once a day'),
  pullOf(30, 'Show free berths on the map', { draft: true, user: { login: 'mira' } }),
  pullOf(28, 'Remove the old importer', {
    state: 'closed',
    merged_at: '2026-06-16T12:00:00Z',
    updated_at: '2026-06-16T12:00:00Z',
  }),
]

const harm = '"><script>globalThis.hacked=1</script><img src=x onerror=globalThis.hacked=1>'

const hostilePulls = [
  pullOf(66, harm, {
    body: `${harm}\n\n[x](javascript:globalThis.hacked=1)`,
    head: { ref: harm, sha: 'a'.repeat(40) },
    user: { login: harm },
    html_url: 'javascript:globalThis.hacked=1',
  }),
]

const hostileDiff = `diff --git a/${harm} b/${harm}
--- a/${harm}
+++ b/${harm}
@@ -1 +1 @@ ${harm}
-${harm}
+</code></pre>${harm}
`

const diff = `diff --git a/src/tides.ts b/src/tides.ts
index 1b2c3d4..5e6f7a8 100644
--- a/src/tides.ts
+++ b/src/tides.ts
@@ -1,6 +1,8 @@
 import { fetchTable } from './table.ts'

-export async function tideAt(time: number) {
-  const table = await fetchTable()
+let table: Promise<Table> | null = null
+
+export async function tideAt(time: number): Promise<number> {
+  table ??= fetchTable()
-  return table.at(time)
+  return (await table).at(time)
 }
diff --git a/README.md b/README.md
index 0000001..0000002 100644
--- a/README.md
+++ b/README.md
@@ -1,2 +1,2 @@
 # Harbour
-Reads the tide table for every request.
+Reads the tide table once a day.
`
