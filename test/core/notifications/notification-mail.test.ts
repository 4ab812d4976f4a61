import t from 'tap'
import type { UnreadMentionView } from '../../../core/inbox/unread-mentions.ts'
import {
  type MailText,
  notificationsText,
  renderMail,
} from '../../../core/notifications/notification-mail.ts'

const facts = {
  reason: 'member' as const,
  workspaceName: 'Testers',
  unsubscribeUrl: 'https://work.example/unsubscribe/x',
}

const row = (fields: Partial<UnreadMentionView> = {}): UnreadMentionView => ({
  id: 'msg_1',
  author: 'Ada',
  authorId: 'mem_1',
  subjectKind: 'message',
  placeId: 'room_1',
  title: 'Talk',
  threadId: null,
  preview: 'Hello',
  isWhole: true,
  at: 1,
  path: '/v1/fs/rooms/talk.md',
  readPath: '/v1/fs/rooms/talk.md?thread=msg_1',
  url: 'https://work.example/rooms/talk',
  ...fields,
})

const mailOf = (text: Partial<MailText>) => renderMail({ subject: 'S', paragraphs: [], ...text }, facts)

t.test('the subject names the member, or how many, and the place', async (t) => {
  const news = row({ id: 'doc_1', subjectKind: 'post', placeId: 'doc_1', title: 'News', preview: null })
  for (const [rows, subject] of [
    [[row()], 'Ada mentioned you in Talk'],
    [[news], 'Ada mentioned you in News'],
    [[row(), row({ author: 'Bob' })], '2 mentions in Talk'],
    [[row(), news, row()], '3 mentions in Testers'],
    [[row(), row({ placeId: 'room_2' })], '2 mentions in Testers'],
  ] as const) {
    t.equal(notificationsText(rows, [], facts).subject, subject)
  }
})

t.test('mail shows the newest of very many mentions, and says that there are more', async (t) => {
  const rows = Array.from({ length: 120 }, (_, n) => row({ preview: `number ${n}.` }))
  const { text } = renderMail(notificationsText(rows, [], facts), facts)
  t.match(text, /^These are the newest 50 of 120 mentions\./)
  t.equal(text.match(/^> /gm)!.length, 50)
  t.match(text, /number 49\.[\s\S]*number 0\./)
  t.notMatch(text, 'number 50.')
})

t.test('a subject is one line of limited length', async (t) => {
  const { subject } = mailOf({ subject: `a\r\nBcc: x\u2028\u2029\0\x1b[31m\u0085${'🎉'.repeat(300)}` })
  t.match(subject, /^a Bcc: x \[31m 🎉/)
  t.equal([...subject].length, 200)
})

t.test('every line of a message is quoted, and no control character in it has an effect', async (t) => {
  const paragraphs = [
    {
      text: 'Ada\r\nsaid:',
      quote: 'one\r\ntwo\rthree\n\n\x1b[2Jfour\t<b>\0',
      url: 'https://x.example/?a=1&b="',
    },
  ]
  const { html, text } = mailOf({ paragraphs })
  t.match(text, 'Ada said:\n\n> one\n> two\n> three\n> \n> [2Jfour\t<b>\n\nhttps://x.example/')
  t.match(html, '>one\ntwo\nthree\n\n[2Jfour\t&lt;b&gt;</blockquote>')
  t.match(html, 'href="https://x.example/?a=1&amp;b=&quot;"')
})

t.test('a linked file becomes a link in the mail, and no other address does', async (t) => {
  const path = '/v1/fs/rooms/room_1/attachments/att_1'
  const quote = `See [tides \\[1\\].pdf](${path}), ![](${path}) and [this](https://evil.example/x) or [b](//evil.example)`
  const { html, text } = mailOf({
    paragraphs: [{ text: 'Ada:', quote, url: 'https://work.example/rooms/talk' }],
  })
  const address = `https://work.example${path}`
  t.match(
    text,
    `> See tides [1].pdf (${address}), ${address} and [this](https://evil.example/x) or [b](//evil.example)`,
  )
  t.match(html, `tides [1].pdf (<a href="${address}">${address}</a>)`)
  t.notMatch(html, 'href="https://evil')
})
