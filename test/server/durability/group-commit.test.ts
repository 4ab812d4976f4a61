import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventsOf } from '../../support/event-log.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { general } from './writes.ts'

const together = 40
let beforeCommit = () => {}
const markdown = sharedMarkdown(t)
/** Finished analyses, held back until all have arrived; null if none is held back. */
let held: (() => void)[] | null = null

const workroom = await startWorkroom(t, {
  faults: {
    database: { beforeCommit: () => beforeCommit() },
    markdown: {
      ...markdown,
      async analyse(request, priority) {
        const analysis = await markdown.analyse(request, priority)
        await new Promise<void>((resolve) => {
          if (held) held.push(resolve)
          else resolve()
          if (held?.length === together) for (const release of held) release()
        })
        return analysis
      },
    },
  },
})

t.test(
  'writes to many documents that arrive together share a commit, and each has its own event',
  async (t) => {
    const names = Array.from({ length: together }, (_, n) => `together-${n}`)
    const before = eventsOf(workroom.home).length
    const eventCounts: number[] = []
    beforeCommit = () => void eventCounts.push(eventsOf(workroom.home).length)
    held = []
    const responses = await Promise.all(
      names.map((name) => workroom.request('PUT', `${general}/docs/${name}.md`, { body: `# ${name}\n` })),
    )
    held = null
    beforeCommit = () => {}
    // What comes after the writes, such as the checkpoint of the journal, is another commit.
    t.same(
      eventCounts.filter((count) => count < before + together),
      [before],
      'one commit has all of them',
    )
    t.ok(responses.every(({ status, json }) => status === 201 && json.created))
    const events = eventsOf(workroom.home).slice(before)
    t.same(events.map(({ detail }) => detail.title).sort(), names.toSorted())
    t.same(new Set(events.map(({ documentId }) => documentId)), new Set(responses.map(({ json }) => json.id)))
  },
)

t.test('concurrent writes to one document become complete revisions, one after the other', async (t) => {
  const bodies = Array.from({ length: 20 }, (_, n) => `# One\n\nNumber ${n}, ${'and on '.repeat(n * 50)}\n`)
  const responses = await Promise.all(
    bodies.map((body) => workroom.request('PUT', `${general}/docs/one.md`, { body })),
  )
  t.ok(responses.every(({ status }) => status === 201))
  t.equal(new Set(responses.map(({ json }) => json.id)).size, 1)
  t.equal(responses.filter(({ json }) => json.created).length, 1)
  const { json } = await workroom.request('GET', `${general}/docs/one.md/_revisions`)
  const kept: string[] = json.revisions.map(({ revision }: { revision: string }) => revision)
  t.same(kept.toSorted(), responses.map(({ headers }) => headers['x-service-revision'] as string).sort())
  const read = await workroom.request('GET', `${general}/docs/one.md`)
  t.equal(read.headers['x-service-revision'], kept[0], 'the newest revision is the current one')
  const file = readFileSync(join(workroom.home, 'projects/general/documents/one.md'), 'utf8')
  t.ok(read.text.endsWith(file))
})

t.test('of concurrent writes with the same precondition exactly one succeeds', async (t) => {
  const { headers } = await workroom.request('GET', `${general}/docs/one.md`)
  const before = eventsOf(workroom.home).length
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      workroom.request('PUT', `${general}/docs/one.md`, {
        body: `# One\n\nWinner ${n}.\n`,
        headers: { 'If-Match': headers.etag },
      }),
    ),
  )
  const statuses = responses.map(({ status }) => status)
  t.same(statuses.toSorted(), [201, ...Array<number>(9).fill(409)])
  const file = readFileSync(join(workroom.home, 'projects/general/documents/one.md'), 'utf8')
  t.equal(file, `# One\n\nWinner ${statuses.indexOf(201)}.\n`)
  t.equal(eventsOf(workroom.home).length, before + 1)
})

t.test('of ten concurrent creations of one name exactly one succeeds', async (t) => {
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      workroom.request('PUT', `${general}/docs/new.md`, {
        body: `# New\n\nNumber ${n}.\n`,
        headers: { 'If-None-Match': '*' },
      }),
    ),
  )
  t.same(responses.map(({ status }) => status).sort(), [201, ...Array<number>(9).fill(409)])
})
