import t from 'tap'
import { mention } from '../../support/chat.ts'
import { leaveProject } from '../../support/leave-project.ts'
import { renameMember } from '../../support/rename-member.ts'
import { startWorkroom } from '../../support/workroom.ts'
import { countIn, minutes, openOffice } from './office.ts'

const newsOf = (text: string) => ({ body: `# News of *today*\n\n${text}\n` })
const posts = '/v1/fs/projects/general/posts'

t.test('a mention is mailed when the delay is over, and not before', async (t) => {
  const { after, owner, say, server } = await openOffice(t)
  await say('look <here> & there')
  t.same(await after(2 * minutes - 1), [])
  const [mail, ...others] = await after(1)
  t.same(others, [])
  t.same(mail!.recipients, ['grace@example.org'])
  t.match(mail, { to: 'Grace <grace@example.org>', subject: 'Ada mentioned you in Talk' })
  t.equal(
    mail!.text
      .replace(/unsubscribe\/\S+/, 'unsubscribe/…')
      .replace(/(msg_)\w{26}#\1\w{26}/, '$1…')
      .trim(),
    [
      'Ada mentioned you in Talk:',
      '> @Grace look <here> & there',
      'https://work.example/rooms/talk?at=msg_…',
      '-- \nYou received this email as a member of Testers.\nUnsubscribe: https://work.example/unsubscribe/…',
    ].join('\n\n'),
  )
  t.match(mail!.html, '@Grace look &lt;here&gt; &amp; there')
  t.match(mail!.html, /<a href="https:\/\/work\.example\/rooms\/talk\?at=(msg_\w{26})#\1">/)
  t.notMatch(mail!.html, /<(?:img|link|script|style|iframe)|src=/i, 'reading the mail fetches nothing')
  t.notMatch(mail!.raw, owner.member.id)
  t.equal(server.connections, 1)
})

t.test(
  'mentions until the first is due are sent as one mail, oldest first, each with its link',
  async (t) => {
    const { after, clock, count, request, say } = await openOffice(t)
    await say('one')
    clock.advance(1 * minutes)
    const post = await request('PUT', `${posts}/p.md`, newsOf('@Grace'))
    t.equal(post.status, 201)
    clock.advance(59_999)
    await say('three')
    const [mail, ...others] = await after(1)
    t.same(others, [])
    t.equal(mail!.subject, '3 mentions in Testers')
    const places = ['> @Grace one', 'Ada mentioned you in the post “News of today”:', '> @Grace three']
    t.strictSame(
      [...places].sort((a, b) => mail!.text.indexOf(a) - mail!.text.indexOf(b)),
      places,
    )
    for (const place of places) t.match(mail!.text, place)
    t.match(mail!.text, /^https:\/\/work\.example\/projects\/general\/posts\/\S+$/m)
    t.match(mail!.text, /^https:\/\/work\.example\/rooms\/talk\?at=(msg_\w{26})#\1$/m)
    await after(60 * minutes)
    t.equal(count('inbox WHERE read_ms IS NULL'), 3, 'a mail marks nothing as read')
    await say('four')
    t.equal((await after(2 * minutes)).length, 2, 'a later mention begins the next mail')
    t.match((await after(0))[1]!, { subject: 'Ada mentioned you in Talk' })
    t.notMatch((await after(0))[1]!.text, 'three')
  },
)

t.test('a mention in a post is mailed with the text around it at the time of sending', async (t) => {
  const { after, clock, request, workspace, grace } = await openOffice(t)
  const far = 'far away '.repeat(200)
  const quoteOf = async (text: string) => {
    await request('PUT', `${posts}/new.md`, newsOf(text))
    const mails = await after(2 * minutes)
    clock.advance(1)
    return mails.at(-1)!.text.match(/^> .*$/gm)
  }
  t.same(await quoteOf(`${far}\n\nDear @Grace, look\nat **this**.\n\n${far}`), [
    '> Dear @Grace, look',
    '> at **this**.',
  ])
  t.same(await quoteOf(`To @[channel](__channel__): come. @[${grace.member.name}](${grace.member.id})!`), [
    '> To @channel: come. @Grace!',
  ])
  const [long] = (await quoteOf(`${'ü🎉 '.repeat(600)}@Grace ${'é🎉 '.repeat(600)}`))!
  t.match(long, /^> ….*ü🎉 @Grace é🎉 .*…$/u)
  t.ok([...long!].length < 300)
  t.notMatch(long, '\uFFFD')
  await workspace.stores.members.change(grace.member.id, { name: 'Grace Hopper' })
  t.same(await quoteOf('And @Grace Hopper again'), ['> And @Grace Hopper again'])
})

t.test('mentions that were read, deleted, edited away or made inaccessible are left out', async (t) => {
  const { after, call, edit, grace, leave, owner, post, remove, request, room, talk, ...office } =
    await openOffice(t)
  const hello = (text: string) => `${mention(grace)} ${text}`
  const { _id: closed } = await room(owner, { type: 'closed', members: [grace.member.id] })
  const { id: projectId } = office.workspace.stores.projects.find('general')!
  const { _id: inner } = await room(owner, { projectId })
  const read = await post(owner, talk, hello('was read'))
  const gone = await post(owner, talk, hello('is gone'))
  const edited = await post(owner, talk, hello('was for you'))
  await post(owner, closed, hello('is closed to you'))
  await post(owner, inner, hello('is in a project that you left'))
  const news = await request('PUT', `${posts}/p.md`, newsOf('@Grace, of a project that you left'))
  const kept = await post(owner, talk, hello('is as it was'))
  await call(grace, 'POST', '/inbox/read', { ids: [read] })
  await remove(owner, talk, gone)
  await edit(owner, talk, edited, 'is for nobody')
  await edit(owner, talk, kept, hello('is as it is now'))
  await leave(grace, closed)
  t.equal((await request('DELETE', news.json.path)).status, 200)
  await leaveProject(office.home, projectId, grace.member.id)
  office.workspace.maintenance.refresh()
  const [mail, ...others] = await after(2 * minutes)
  t.same(others, [])
  t.equal(mail!.subject, 'Ada mentioned you in Talk')
  t.match(mail!.text, '> @Grace is as it is now')
  t.equal(mail!.text.match(/^> /gm)!.length, 1)
})

t.test('no mail is sent if no mention is left', async (t) => {
  const { after, call, count, grace, remove, talk, owner, say, server } = await openOffice(t)
  await say()
  await remove(owner, talk, await say())
  await call(grace, 'POST', '/inbox/read')
  await after(60 * minutes)
  t.equal(server.connections, 0)
  t.equal(count('mail_outbox'), 0)
})

t.test('mail goes only to active people with an address who want it', async (t) => {
  const { after, addMember, grace, count, owner, post, request, talk, server, ...office } =
    await openOffice(t)
  const bot = await office.agent('Bot', { email: 'bot@example.org' })
  const plain = await office.person('Plain')
  const quiet = await addMember({ name: 'Quiet', type: 'human', email: 'quiet@example.org' })
  const late = await addMember({ name: 'Late', type: 'human', email: 'late@example.org' })
  const left = await addMember({ name: 'Left', type: 'human', email: 'left@example.org' })
  await office.invite(owner, talk, bot)
  const change = (actor: typeof quiet, changes: unknown) =>
    request('PATCH', `/api/members/${actor.member.id}`, { key: actor.key, body: changes })
  t.equal((await change(quiet, { emailNotifications: false })).json.member.emailNotifications, false)
  await post(owner, talk, [bot, plain, quiet, late, left, grace].map(mention).join(' '))
  t.equal(count('inbox'), 6, 'each of them has it in the inbox')
  t.equal(count('inbox WHERE mail_due_ms IS NOT NULL'), 3)
  await change(late, { emailNotifications: false })
  await office.workspace.stores.members.setStatus(left.member.id, 'deactivated')
  await after(2 * minutes)
  t.same(
    server.mails.map(({ recipients }) => recipients),
    [['grace@example.org']],
  )
  await change(late, { emailNotifications: true })
  await after(60 * minutes)
  t.equal(server.mails.length, 1, 'mentions from while it was off are not mailed')
})

t.test('notices go out in one mail, and only those of the kinds that a person chose', async (t) => {
  const { after, grace, owner, post, request, room, talk } = await openOffice(t)
  const send = async (method: string, path: string, body: unknown, { key } = owner) =>
    (await request(method, path, { key, body })).json
  const project = '/v1/fs/projects/general'
  const { _id: direct } = await room(owner, { type: 'direct', members: [grace.member.id] })
  const concern = async (card: string) => {
    await send('PUT', `${project}/board/todo/x.md`, `---\nassignees: [Grace]\n---\n# ${card}\n`)
    const ask = { project: 'general', title: 'Oil the hinges' }
    await send('POST', '/api/asks', { ...ask, assignees: [grace.member.id] })
    const { askId } = await send('POST', '/api/asks', { project: 'general', title: 'Which oil?' }, grace)
    await send('POST', `/api/asks/${askId}/resolve`, { resolution: 'Olive' })
    const { id } = await send('PUT', `${project}/posts/doors.md`, '# Doors\n\nThey squeak.\n', grace)
    await send('POST', `/v1/posts/${id}/comments`, { body: 'They do' })
    const threadId = await post(grace, talk, 'Shall we?')
    await post(owner, talk, 'We shall', { threadId })
    await post(owner, direct, 'Between us')
  }
  await concern('Fix the door')
  const [mail, ...others] = await after(2 * minutes)
  t.same(others, [])
  t.match(mail, { recipients: ['grace@example.org'], subject: '6 notifications in Testers' })
  const paragraphs = mail!.text.split('\n\n')
  const sentences = [
    ['Ada assigned you the card “Fix the door”:', /\/projects\/general\/board\/1$/],
    ['Ada assigned you “Oil the hinges”:', /\/projects\/general\/asks#/],
    ['Ada answered “Which oil?”:', '> Olive'],
    ['Ada commented on “Doors”:', '> They do'],
    ['Ada replied in Talk:', '> We shall'],
    ['Ada sent you a message:', '> Between us'],
  ] as const
  for (const [sentence, next] of sentences) {
    const at = paragraphs.indexOf(sentence)
    t.ok(at >= 0, sentence)
    t.match(paragraphs[at + 1], next)
  }

  await send('PATCH', '/v1/inbox/settings', { mail: ['card'] }, grace)
  await concern('Paint the door')
  const mails = await after(2 * minutes)
  t.same(
    mails.map(({ subject }) => subject),
    ['6 notifications in Testers', 'Ada assigned you the card “Paint the door”'],
  )
})

t.test('without a delay a mail is sent at once, to the current address', async (t) => {
  const { after, grace, request, say } = await openOffice(t, { delaySeconds: 0 })
  await request('PATCH', `/api/members/${grace.member.id}`, {
    key: grace.key,
    body: { email: 'g@example.net' },
  })
  await say()
  const mails = (await after(0)).filter(({ subject }) => subject.includes('mentioned you'))
  t.same(
    mails.map(({ recipients }) => recipients),
    [['g@example.net']],
  )
})

t.test('mails about one room or post form a thread, and each has its own id', async (t) => {
  const { after, talk, say } = await openOffice(t, { delaySeconds: 0 })
  await say('one')
  await after(0)
  await say('two')
  const mails = await after(0)
  t.same(
    mails.map(({ headers }) => headers.references),
    [`<${talk}@example.org>`, `<${talk}@example.org>`],
  )
  const ids = mails.map(({ headers }) => headers['message-id']!)
  for (const id of ids) t.match(id, /^<mail_[0-9a-z]{26}@example\.org>$/)
  t.equal(new Set(ids).size, 2)
  t.match(mails[0]!.headers, { 'auto-submitted': 'auto-generated' })
})

t.test('a comment is mailed with its post, and a deleted comment is not', async (t) => {
  const { after, count, grace, request } = await openOffice(t)
  const { id } = (await request('PUT', `${posts}/p.md`, newsOf('@Grace'))).json
  await after(2 * minutes)
  const comments = `/v1/posts/${id}/comments`
  const comment = async (text: string) =>
    (await request('POST', comments, { body: { body: `${mention(grace)} ${text}` } })).json.comment._id
  await comment('what do you say?')
  const gone = await comment('never mind')
  await request('DELETE', `${comments}/${gone}`)
  const [first, second, ...others] = await after(2 * minutes)
  t.same(others, [])
  t.equal(second!.subject, 'Ada mentioned you in News of today')
  t.match(
    second!.text,
    'Ada mentioned you in a comment on the post “News of today”:\n\n> @Grace what do you say?',
  )
  t.match(second!.text, /^https:\/\/work\.example\/projects\/general\/posts\/\S+$/m)
  t.notMatch(second!.text, 'never mind')
  t.equal(second!.headers.references, `<${id}@example.org>`)
  t.equal(first!.headers.references, second!.headers.references)
  t.equal(count('inbox'), 2)
})

t.test('names that look like headers or markup are plain text in a mail', async (t) => {
  const { after, addMember, owner, request, server, ...office } = await openOffice(t)
  const nasty = 'Bobby "<b>" ; Bcc: x, <x'
  const bob = await addMember({ name: 'Bobby', type: 'human', email: 'bob@example.org' }, 'general')
  await renameMember(office.home, bob.member.id, nasty)
  await renameMember(office.home, owner.member.id, 'Ada <i>"Ada"</i>')
  const { _id: room } = await office.room(owner, { name: '<script>&"\'', members: [bob.member.id] })
  await office.post(owner, room, mention(bob))
  await request('PUT', `${posts}/p.md`, { body: `# <img src=x> \u2028 Bcc: y\n\n@${nasty}\n` })
  const [mail] = await after(2 * minutes)
  t.same(mail!.recipients, ['bob@example.org'])
  t.notOk('bcc' in mail!.headers)
  t.equal(mail!.to, `${JSON.stringify(nasty)} <bob@example.org>`)
  t.match(mail!.text, 'Ada <i>"Ada"</i> mentioned you in <script>&"\':')
  t.notMatch(mail!.html, /<(?:script|img|i|b)[ >]/)
  t.equal(server.mails.length, 1)
})

t.test('without a mail server no mail is stored, and the inbox works as usual', async (t) => {
  const { addMember, clock, home, request, workspace } = await startWorkroom(t)
  const grace = await addMember({ name: 'Grace', type: 'human', email: 'grace@example.org' }, 'general')
  await request('PUT', `${posts}/p.md`, newsOf('@Grace'))
  const caller = workspace.stores.members.authenticate(grace.key)!
  t.equal(workspace.inbox.mentions.unread(caller).length, 1)
  clock.advance(60 * minutes)
  t.equal(countIn(home, 'inbox WHERE mail_due_ms IS NOT NULL'), 0)
  t.equal(countIn(home, 'mail_outbox'), 0)
})
