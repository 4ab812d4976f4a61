import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bodyOf, docs, openDesk, remove } from '../../support/desk.ts'

t.jobs = 8
const desk = await openDesk(t)
const documents = '/v1/fs/projects/general/library/documents'

t.test('a folder that is renamed takes its documents along', { buffered: true }, async (t) => {
  const ids = new Map<string, string>()
  for (const name of ['one', 'two', 'deep/three', 'deep/er/four']) {
    desk.write(`documents/shelf/${name}.md`, `# ${name}\n`)
  }
  for (const name of ['one', 'two', 'deep/three', 'deep/er/four']) {
    ids.set(name, (await desk.appeared(`shelf/${name}.md`)).documentId)
  }
  renameSync(desk.at('documents/shelf'), desk.at('documents/cupboard'))
  for (const [name, id] of ids) {
    const [, moved] = await desk.happened(id, 2)
    t.match(moved, {
      type: 'doc.write',
      detail: {
        path: `${documents}/cupboard/${name}.md`,
        previousPath: `${documents}/shelf/${name}.md`,
      },
    })
  }
  await desk.scan()
  for (const id of ids.values()) t.equal(desk.events(id).length, 2)
})

t.test('a file that is written into a folder made this moment is known', { buffered: true }, async (t) => {
  desk.write('documents/x/y/z/fresh.md', '# Fresh\n')
  const { documentId } = await desk.appeared('x/y/z/fresh.md')
  const answer = await desk.request('GET', `${docs}/x/y/z/fresh.md`)
  t.match(answer.text, `id: ${documentId}\n`)

  desk.write('documents/p/q/r/asked.md', '# Asked\n')
  const asked = await desk.request('GET', `${docs}/p/q/r/asked.md`)
  t.equal(bodyOf(asked), '# Asked\n', 'to the next request')
  await desk.scan()
  t.same([desk.eventsAt('x/y/z/fresh.md').length, desk.eventsAt('p/q/r/asked.md').length], [1, 1])
})

t.test('rm -rf of a folder deletes what was in it, once each', { buffered: true }, async (t) => {
  const names = ['a', 'b', 'sub/c'].map((name) => `doomed/${name}.md`)
  for (const name of names) desk.write(`documents/${name}`, `# ${name}\n`)
  const ids: string[] = []
  for (const name of names) ids.push((await desk.appeared(name)).documentId)
  remove(desk.at('documents/doomed'))
  for (const id of ids) t.equal((await desk.happened(id, 2))[1]!.type, 'doc.delete')
  await desk.scan()
  for (const id of ids) t.equal(desk.events(id).length, 2)
  const trash = (await desk.request('GET', '/v1/fs/projects/general/trash')).json.trash as { id: string }[]
  t.ok(ids.every((id) => trash.some((row) => row.id === id)))
})

t.test('a new folder under projects/ that holds markdown is a new project', { buffered: true }, async (t) => {
  mkdirSync(join(desk.home, 'projects', 'Garden Notes', 'documents'), { recursive: true })
  writeFileSync(join(desk.home, 'projects', 'Garden Notes', 'documents', 'roses.md'), '# Roses\n')
  const read = await desk.eventually(async () => {
    const answer = await desk.request('GET', '/v1/fs/projects/garden-notes/docs/roses.md')
    return answer.status === 200 ? answer : null
  })
  t.equal(bodyOf(read), '# Roses\n')
  const { projects } = (await desk.request('GET', '/v1/fs/projects')).json
  t.match(
    projects.find(({ slug }: { slug: string }) => slug === 'garden-notes'),
    { name: 'Garden Notes' },
  )
})
