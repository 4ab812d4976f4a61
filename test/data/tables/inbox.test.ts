import t from 'tap'
import type { Connection } from '../../../data/database.ts'
import { commentsTable } from '../../../data/tables/comments.ts'
import { documentsTable } from '../../../data/tables/documents.ts'
import { inboxTable } from '../../../data/tables/inbox.ts'
import { membersTable } from '../../../data/tables/members.ts'
import { messagesTable } from '../../../data/tables/messages.ts'
import { roomsTable } from '../../../data/tables/rooms.ts'
import { documentRecord } from '../../core/documents/document-record.ts'
import { memberRow, populatedConnection, roomRow } from './fresh-connection.ts'

function inboxIn(db: Connection) {
  membersTable(db).insert(memberRow('mem_2'))
  roomsTable(db).insert(roomRow('room_1'))
  for (const id of ['msg_1', 'msg_2']) {
    const row = { roomId: 'room_1', threadId: null, authorId: 'mem_1', sentVia: null, sentMs: 1 }
    messagesTable(db).insert({ id, body: 'text', ...row })
  }
  documentsTable(db).put(documentRecord())
  const row = { postId: 'doc_1', parentId: null, authorId: 'mem_1', block: null, quote: null, createdMs: 1 }
  commentsTable(db).insert({ id: 'cmt_1', body: 'remark', ...row })
  return inboxTable(db)
}

t.test('a member gets a message once, listed newest first until it is read', async (t) => {
  const inbox = inboxIn(populatedConnection(t))
  t.ok(inbox.addOfMessage('mem_2', 'mem_1', 'msg_1', 5))
  t.notOk(inbox.addOfMessage('mem_2', 'mem_1', 'msg_1', 6))
  t.ok(inbox.addOfMessage('mem_2', 'mem_1', 'msg_2', 5))
  const unread = () => inbox.unread('mem_2').map(({ messageId }) => messageId)
  t.same(unread(), ['msg_2', 'msg_1'])
  const [first] = inbox.unread('mem_2')
  t.same(first, {
    id: 2,
    authorId: 'mem_1',
    documentId: null,
    messageId: 'msg_2',
    commentId: null,
    atMs: 5,
    roomId: 'room_1',
    threadId: null,
    postId: null,
    body: 'text',
  })
  t.ok(inbox.markRead(first!.id, 7))
  t.notOk(inbox.markRead(first!.id, 8))
  t.same(unread(), ['msg_1'])
  t.notOk(inbox.addOfMessage('mem_2', 'mem_1', 'msg_2', 9), 'not even after it was read')
})

t.test('deleting a message removes its unread mentions and keeps the read ones', async (t) => {
  const inbox = inboxIn(populatedConnection(t))
  for (const member of ['mem_1', 'mem_2']) inbox.addOfMessage(member, 'mem_1', 'msg_1', 5)
  inbox.markRead(1, 6)
  t.same(inbox.unreadMembersOf('msg_1'), ['mem_2'])
  t.notOk(inbox.removeUnread('msg_1', 'mem_1'))
  t.equal(inbox.removeAllUnread('msg_1'), 1)
  t.same(inbox.unread('mem_2'), [])
  t.notOk(inbox.addOfMessage('mem_1', 'mem_1', 'msg_1', 7))
})

t.test('mentions in a comment work as in a message, and know their post', async (t) => {
  const inbox = inboxIn(populatedConnection(t))
  for (const member of ['mem_1', 'mem_2']) t.ok(inbox.addOfComment(member, 'mem_1', 'cmt_1', 5))
  t.notOk(inbox.addOfComment('mem_1', 'mem_1', 'cmt_1', 6))
  const [record] = inbox.unread('mem_1')
  t.match(record, { commentId: 'cmt_1', messageId: null, roomId: null, postId: 'doc_1', body: 'remark' })
  inbox.markRead(record!.id, 7)
  t.equal(inbox.removeUnreadOfComment('cmt_1'), 1)
  t.same(inbox.unread('mem_2'), [])
  t.notOk(inbox.addOfComment('mem_1', 'mem_1', 'cmt_1', 8), 'a read mention stays')
})

t.test('a mention belongs to exactly one of a document, a message and a comment', async (t) => {
  const db = populatedConnection(t)
  inboxIn(db)
  const insert = (values: string) =>
    db.exec(
      `INSERT INTO inbox (member_id, author_id, document_id, message_id, comment_id, at_ms) VALUES ${values}`,
    )
  for (const places of ['NULL, NULL, NULL', "'doc_1', 'msg_1', NULL", "NULL, 'msg_1', 'cmt_1'"])
    t.throws(() => insert(`('mem_1', 'mem_1', ${places}, 1)`), /CHECK/)
})
