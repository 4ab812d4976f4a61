import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { breakableDisk } from '../../support/breakable-disk.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { general, put } from './writes.ts'

const markdown = sharedMarkdown(t)

t.test(
  'a file that the disk cannot read delays no other file, and is read again as soon as it can be',
  async (t) => {
    const disk = breakableDisk()
    const workroom = await startWorkroom(t, { faults: { tree: { fs: disk.fs }, markdown } })
    const bad = await put(workroom, 'docs/bad.md', '# Bad\n')
    disk.fail('openSync', 'EIO', ([path]) => String(path).endsWith('/bad.md'))
    writeFileSync(
      join(workroom.home, 'projects/general/documents/bad.md'),
      '# Bad\n\nNobody has seen this.\n',
    )

    const responses = await Promise.all([
      workroom.request('GET', bad.path),
      workroom.request('PUT', bad.path, { body: '# Bad\n\nOurs.\n' }),
    ])
    for (const response of responses) {
      t.match(response, { status: 503, json: { error: 'bad_request' } })
      t.match(response.json.message, /could not be read: the disk reports an input\/output error/)
      t.equal(response.json.requestId, response.headers['x-request-id'])
    }
    const good = await put(workroom, 'docs/good.md', '# Good\n')
    t.equal((await workroom.request('GET', good.path)).status, 200)
    t.equal((await workroom.request('GET', `${general}/docs`)).json.documents.length, 3)

    disk.mend()
    t.match(await workroom.request('GET', bad.path), { status: 200, text: 'Nobody has seen this.' })
  },
)

t.test('new files that cannot be read delay no other write', async (t) => {
  const disk = breakableDisk()
  const workroom = await startWorkroom(t, { faults: { tree: { fs: disk.fs }, markdown } })
  disk.fail('openSync', 'EIO', ([path]) => /\/bad-\d+\.md$/.test(String(path)))
  const written = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      put(workroom, `docs/${n % 2 ? 'good' : 'bad'}-${n}.md`, `# Number ${n}\n`),
    ),
  )
  t.equal(new Set(written.map(({ id }) => id)).size, 10)
})
