import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, owner, clock, workspace } = workroom
const project = '/v1/fs/projects/general'

const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
const outsider = await workroom.addMember({ name: 'Outsider', type: 'agent' })
const everyone = { owner, grace, stranger, bot, outsider }

const publish = async (title: string, text: string, key = owner.key) =>
  (await request('PUT', `${project}/posts/new.md`, { body: `# ${title}\n\n${text}\n`, key })).json
const inboxOf = async (key: string) => (await request('GET', '/v1/fs/inbox/mentions.md', { key })).text
/** Returns those who have a post with this title in their inbox. */
async function notified(title: string): Promise<string[]> {
  const names = []
  for (const [name, { key }] of Object.entries(everyone))
    if ((await inboxOf(key)).includes(`*${title}*`)) names.push(name)
  return names
}

t.test('a mention by name or by id in a post is in the inbox, with the path of the post', async (t) => {
  const { path } = await publish('By name', `Dear @Grace and @[whoever](${bot.member.id}).`)
  t.strictSame(await notified('By name'), ['grace', 'bot'])
  const page = await request('GET', '/v1/fs/inbox/mentions.md', { key: grace.key })
  t.equal(page.headers['content-type'], 'text/markdown; charset=utf-8')
  t.match(page.text, /\*\*Ada\*\* in \*By name\*/)
  t.match(page.text, `\`${path}\``)
})

t.test('the author is never notified, not even by a broadcast', async (t) => {
  await publish('My own', '@Ada @[everyone](__everyone__) @[channel](__channel__)')
  t.notOk((await notified('My own')).includes('owner'))
})

t.test(
  'a mention notifies no agent outside of its project, and a person outside only once they may read it',
  async (t) => {
    await publish('Outside', '@Outsider @Stranger')
    t.strictSame(await notified('Outside'), [])
    await workspace.stores.projects.join(
      workspace.stores.projects.find('general')!,
      stranger.member,
      'member',
    )
    t.strictSame(await notified('Outside'), ['stranger'])
  },
)

t.test('@channel notifies the project, @everyone the workspace, each member once', async (t) => {
  await publish('To the channel', '@[channel](__channel__) and @Grace again')
  t.strictSame(await notified('To the channel'), ['grace', 'stranger', 'bot'])
  t.equal((await inboxOf(grace.key)).split('*To the channel*').length, 2)
  await publish('To everyone', '@[everyone](__everyone__)')
  t.strictSame(await notified('To everyone'), ['grace', 'stranger', 'bot'])
})

t.test('only a published post notifies: no draft, document, card or code', async (t) => {
  for (const folder of ['drafts', 'docs', 'board/02-todo'])
    await request('PUT', `${project}/${folder}/quiet.md`, { body: '# Quiet\n\n@Grace\n' })
  await publish('Quiet', '`@Grace` and [@Grace](https://x.org)')
  t.strictSame(await notified('Quiet'), [])
})

t.test('a draft notifies when it is published, with the text of that moment', async (t) => {
  const { path } = (await request('PUT', `${project}/drafts/d.md`, { body: '# Announced\n\n@Grace\n' })).json
  await request('PUT', path, { body: '# Announced\n\n@Bot\n' })
  t.strictSame(await notified('Announced'), [])
  await request('POST', `${path}/_publish`)
  t.strictSame(await notified('Announced'), ['bot'])
})

t.test('unread mentions are listed newest first, and reading marks nothing as read', async (t) => {
  await publish('Before', '@Grace')
  clock.advance(1000)
  await publish('After', '@Grace')
  const page = await inboxOf(grace.key)
  t.ok(page.indexOf('*After*') < page.indexOf('*Before*'))
  t.equal(await inboxOf(grace.key), page)
})

t.test('a post that was deleted is removed from the inbox', async (t) => {
  const { path } = await publish('Deleted', '@Grace')
  await request('DELETE', path)
  t.strictSame(await notified('Deleted'), [])
})

t.test('a deactivated member is not notified', async (t) => {
  const carol = await workroom.addMember({ name: 'Carol', type: 'human' }, 'general')
  await workspace.stores.members.setStatus(carol.member.id, 'deactivated')
  await publish('Absent', `@[Carol](${carol.member.id})`)
  await workspace.stores.members.setStatus(carol.member.id, 'active')
  t.notMatch(await inboxOf(carol.key), 'Absent')
})

t.test('the orientation shows the number and the newest mentions, and needs the scope', async (t) => {
  const { text } = await request('GET', '/v1/fs', { key: grace.key })
  t.match(text, /## Unread mentions\n\n\d+ in all/)
  t.match(text, '*After*')
})
