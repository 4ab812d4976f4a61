import t from 'tap'
import { type Actor, openChat } from '../../support/chat.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const chat = await openChat(t)
const { owner } = chat
const grace = await chat.person('Grace', 'general')
const { id } = grace.member
const asGrace = await new ScriptlessBrowser(chat).signIn(grace.key)
const tree = '/v1/fs/projects/general'

const send = async (actor: Actor, method: string, path: string, body: unknown) => {
  const { key } = actor
  return (await chat.request(method, path, { key, body })).json
}

t.test(
  'a member’s notices are listed, and the page of each names what opening it marks as read',
  async (t) => {
    await send(
      owner,
      'PUT',
      `${tree}/board/todo/new-card.md`,
      '---\nassignees: [Grace]\n---\n# Fix the door\n',
    )
    await send(owner, 'POST', '/api/asks', { project: 'general', title: 'Oil it', assignees: [id] })
    const { askId } = await send(grace, 'POST', '/api/asks', { project: 'general', title: 'Which lock?' })
    await send(owner, 'POST', `/api/asks/${askId}/resolve`, { resolution: 'The red one' })
    const post = await send(grace, 'PUT', `${tree}/posts/news.md`, '# News\n\nDone.\n')
    await send(owner, 'POST', `/v1/posts/${post.id}/comments`, { body: 'Well done' })
    const { _id: room } = await chat.room(owner, { name: 'Talk', members: [id] })
    const root = await chat.post(grace, room, 'Shall we?')
    await chat.post(owner, room, 'We shall', { threadId: root })
    const { _id: direct } = await chat.room(owner, { type: 'direct', members: [id] })
    await chat.post(owner, direct, 'Between us')

    const { text } = await asGrace.open('/inbox')
    const rows = new Map<string, { notice: string; page: string }>()
    const row = /<li id="notice-([^"]*)"><p class="main"><a href="([^"]*)">([\s\S]*?)<\/a>([\s\S]*?)<small>/g
    for (const [, notice, page, what, preview] of text.matchAll(row)) {
      const words = `${what} ${preview}`.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
      rows.set(words.trim(), { notice: notice!, page: page!.replaceAll('&amp;', '&') })
    }
    t.strictSame([...rows.keys()].sort(), [
      'Ada answered Which lock? The red one',
      'Ada assigned you Oil it',
      'Ada assigned you the card Fix the door',
      'Ada commented on News Well done',
      'Ada replied in Talk We shall',
      'Ada sent you a message Between us',
    ])
    t.match(text, 'Inbox</span><span class="count">6<span class="unseen"> unread')
    t.match(text, 'Mark all as read')
    // A room marks the messages as read that its page shows.
    for (const [words, { notice, page }] of rows) {
      if (page.startsWith('/rooms/')) continue
      const opened = await asGrace.open(page.split('#')[0]!)
      const marked = [...opened.text.matchAll(/data-unread="([^"]*)"/g)].flatMap(([, ids]) => ids!.split(' '))
      t.ok(marked.includes(notice), words)
    }
  },
)
