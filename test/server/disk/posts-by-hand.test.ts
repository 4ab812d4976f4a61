import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { eventsOf } from '../../support/event-log.ts'
import { bodyOf, openProjectFolder } from '../../support/project-folder.ts'

const workroom = await openProjectFolder(t)
const project = '/v1/fs/projects/general'
const bob = await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')
const inbox = async () => (await workroom.request('GET', '/v1/fs/inbox/mentions.md', { key: bob.key })).text
const unread = async (title: string) => (await inbox()).split(title).length - 1

t.test('editing a published post on the disk edits it, and notifies nobody again', async (t) => {
  const put = await workroom.request('PUT', `${project}/posts/news.md`, {
    body: '# Big news\n\n@Bob look.\n',
  })
  const { id, path, filename } = put.json
  const unreadBefore = await unread('Big news')
  t.ok(unreadBefore > 0)
  workroom.clock.advance(1000)
  const file = workroom.at(`posts/${filename}`)
  const text = readFileSync(file, 'utf8').replace('look.', 'look again.')
  writeFileSync(file, text)
  const [, edited] = await workroom.waitForEvents(id, 2)
  t.match(edited, { type: 'doc.write', via: 'disk', detail: { docType: 'post', path, changed: true } })
  const read = await workroom.request('GET', path)
  t.match(read.text, /^editedAt: /m)
  t.match(read.text, /@Bob look again\./)
  t.equal(await unread('Big news'), unreadBefore)
  t.equal((await workroom.revisions(path)).length, 2)

  const again = await workroom.request('PUT', path, { body: '# Big news\n\nOver HTTP.\n' })
  t.match([again.status, again.json.message], [409, /Published posts are immutable/])
  t.equal((await workroom.request('PUT', path, { body: '# X\n', key: bob.key })).status, 403)
  t.equal(readFileSync(file, 'utf8'), text)
})

t.test('until a draft is moved to posts/, no other member sees any of it', async (t) => {
  const put = await workroom.request('PUT', `${project}/drafts/plans.md`, {
    body: '# Secret plans\n\n@Bob soon.\n',
  })
  const { id, filename } = put.json
  const mine = [
    `${project}/drafts`,
    `${project}/drafts/${filename}`,
    `${project}/drafts/${id}`,
    `${project}/posts`,
    `${project}/posts/secret-plans.md`,
    `${project}/trash`,
    project,
    '/v1/fs',
    '/v1/fs/inbox/mentions.md',
  ]
  for (const path of mine) {
    const { text, status } = await workroom.request('GET', path, { key: bob.key })
    t.notMatch(text.replace('plans.md', '').replace('secret-plans', ''), /secret.plans|@Bob soon/i, path)
    t.ok(status < 500)
  }
  for (const method of ['PUT', 'DELETE']) {
    const { status, json } = await workroom.request(method, `${project}/drafts/${id}`, {
      key: bob.key,
      ...(method === 'PUT' ? { body: '# Bob’s\n' } : {}),
    })
    t.ok(status === 404 || json.id !== id, `${method} by another member does not reach the draft: ${status}`)
  }
  t.match(bodyOf(await workroom.request('GET', `${project}/drafts/${filename}`)), '# Secret plans')

  renameSync(workroom.at(`drafts/ada/${filename}`), workroom.at(`posts/${filename}`))
  const [, published] = await workroom.waitForEvents(id, 2)
  t.match(published, {
    type: 'doc.write',
    detail: { docType: 'post', path: `${project}/posts/${filename}` },
  })
  const { posts } = (await workroom.request('GET', `${project}/posts`, { key: bob.key })).json
  t.match(
    posts.find((row: { id: string }) => row.id === id),
    { title: 'Secret plans', isDraft: false },
  )
  t.ok((await unread('Secret plans')) > 0)
  const unreadBefore = await unread('Secret plans')
  await workroom.scan()
  await workroom.restart()
  t.equal(workroom.events(id).length, 2, 'it is published once')
  t.equal(await unread('Secret plans'), unreadBefore)
  const { posts: drafts } = (await workroom.request('GET', `${project}/drafts`)).json
  t.notOk(drafts.some((row: { id: string }) => row.id === id))
})

t.test('a file written into posts/ is published once', async (t) => {
  workroom.write('posts/2026-01-02-by-hand.md', '# By hand\n\n@Bob read this.\n')
  const event = await workroom.eventually(() =>
    eventsOf(workroom.home).find(({ detail }) => detail.path.endsWith('/posts/2026-01-02-by-hand.md')),
  )
  t.match(event, { type: 'doc.write', via: 'disk', detail: { docType: 'post', title: 'By hand' } })
  t.equal(await unread('By hand'), 1)
  await workroom.scan()
  t.equal(workroom.events(event.documentId).length, 1)
})

t.test('a draft in a member’s folder belongs to that member alone', async (t) => {
  mkdirSync(workroom.at('drafts/bob'), { recursive: true })
  writeFileSync(workroom.at('drafts/bob/2026-01-02-mine.md'), '# Bobs own\n')
  await workroom.scan()
  const bobs = (await workroom.request('GET', `${project}/drafts`, { key: bob.key })).json.posts
  t.ok(bobs.some(({ title }: { title: string }) => title === 'Bobs own'))
  const adas = (await workroom.request('GET', `${project}/drafts`)).json.posts
  t.notOk(adas.some(({ title }: { title: string }) => title === 'Bobs own'))
})
