import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { MarkdownService } from '../../../core/markdown/index.ts'
import { docs } from '../../support/project-folder.ts'
import { gatedMarkdown } from '../../support/shared-markdown.ts'
import { TestClock } from '../../support/test-clock.ts'
import { startWorkroom, type WorkroomOptions } from '../../support/workroom.ts'

/** More files than a start waits for, and more than are queued at a time. */
const fileCount = 700

/** Holds back background ingestion, and never what a request waits for. */
const gate = () => gatedMarkdown((_, priority) => priority === 'background')

async function startOnManyFiles(t: Tap, markdown: MarkdownService) {
  const clock = new TestClock()
  const options: WorkroomOptions = {
    clock,
    faults: { markdown },
    prepare(home) {
      const folder = join(home, 'projects/general/documents/many')
      mkdirSync(folder)
      for (let n = 0; n < fileCount; n++) writeFileSync(join(folder, `n${n}.md`), `# Number ${n}\n`)
    },
  }
  let isStarted = false
  const starting = startWorkroom(t, options).finally(() => {
    isStarted = true
  })
  while (!isStarted) {
    clock.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return starting
}

type Tap = Parameters<typeof startWorkroom>[0]

t.test('a server answers before many files are ingested, and says that lists are incomplete', async (t) => {
  const { markdown, open } = gate()
  const workroom = await startOnManyFiles(t, markdown)
  const { request, workspace } = workroom
  t.ok(workspace.maintenance.ingestProgress())
  const health = await request('GET', '/healthz', { key: undefined })
  t.equal(health.status, 200)
  t.match(health.json, { ok: true, ingesting: { done: Number, total: Number } })
  t.ok(health.json.ingesting.total >= fileCount)

  const list = async () => (await request('GET', docs)).json
  const first = await list()
  t.match(first.ingesting, { done: Number, total: Number })
  t.ok(first.documents.length < fileCount)
  t.match((await request('GET', '/v1/search?q=number')).json, { ingesting: Object })
  t.match((await request('GET', '/v1/fs/projects/general/board')).json, { ingesting: Object })

  const early = await request('GET', `${docs}/many/n699.md`)
  t.match([early.status, early.text], [200, '# Number 699'], 'a requested file is read at once')
  t.match(await list(), { documents: [{ filename: 'many/n699.md' }] })
  await request('PUT', `${docs}/many/n698.md`, { body: '# Changed\n' })
  const { revisions } = (await request('GET', `${docs}/many/n698.md/_revisions`)).json
  t.equal(revisions.length, 2, 'the overwritten text is a revision')

  open()
  await workroom.eventually(() => workspace.maintenance.ingestProgress() === null)
  const complete = await list()
  t.notOk('ingesting' in complete)
  t.equal(
    complete.documents.filter(({ filename }: { filename: string }) => filename.startsWith('many/')).length,
    fileCount,
  )
  t.same((await request('GET', '/healthz')).json, { ok: true })
  t.notOk('ingesting' in (await request('GET', '/v1/search?q=number')).json)
  t.match((await request('GET', `${docs}/many/n698.md`)).text, '# Changed')

  // The server watches from here on.
  writeFileSync(join(workroom.home, 'projects/general/documents/many/later.md'), '# Later\n')
  await workspace.maintenance.scan()
  t.match((await request('GET', `${docs}/many/later.md`)).text, '# Later')
})

t.test('a server stopped while it ingests many files continues at the next start', async (t) => {
  const { markdown, open } = gate()
  const workroom = await startOnManyFiles(t, markdown)
  const early = await workroom.request('GET', `${docs}/many/n7.md`)
  const closing = workroom.close()
  open()
  await closing
  let isStarted = false
  const restarting = workroom.restart().finally(() => {
    isStarted = true
  })
  while (!isStarted) {
    workroom.clock.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await restarting
  await workroom.eventually(() => workroom.workspace.maintenance.ingestProgress() === null)
  const { documents } = (await workroom.request('GET', docs)).json
  t.equal(
    documents.filter(({ filename }: { filename: string }) => filename.startsWith('many/')).length,
    fileCount,
  )
  const again = await workroom.request('GET', `${docs}/many/n7.md`)
  t.equal(again.headers['x-service-revision'], early.headers['x-service-revision'])
})
