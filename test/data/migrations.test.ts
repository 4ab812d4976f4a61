import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { compress } from '../../data/compression.ts'
import { latestSchema, migrate, migrateByFiles } from '../../data/migrations.ts'
import { openDatabase } from '../../data/open-database.ts'
import { deliveriesTable } from '../../data/tables/deliveries.ts'
import { documentsTable } from '../../data/tables/documents.ts'
import { eventsTable } from '../../data/tables/events.ts'
import { inboxTable } from '../../data/tables/inbox.ts'
import { linkContexts } from '../../data/tables/link-contexts.ts'
import { linksTable } from '../../data/tables/links.ts'
import { roomMembersTable } from '../../data/tables/room-members.ts'
import { entryTexts, searchTable } from '../../data/tables/search.ts'
import { wakesTable } from '../../data/tables/wakes.ts'
import { oldDatabase } from '../support/old-home.ts'
import { schemaOfFiles } from '../support/whole-schema.ts'

const rows = `
  INSERT INTO members (id, name, type, role, status, created_ms) VALUES
    ('mem_1', 'Ada', 'human', 'owner', 'active', 1), ('mem_2', 'Grace', 'human', 'member', 'active', 2);
  INSERT INTO projects (id, slug, folder, name, created_ms) VALUES ('prj_1', 'general', 'general', 'General', 1);
  INSERT INTO documents (id, project_id, kind, path, path_key, title, author_id, editor_id, created_ms, published_ms,
    activity_ms, revision, bytes, envelope) VALUES
    ('doc_1', 'prj_1', 'post', 'posts/a.md', 'posts/a.md', 'A', 'mem_1', 'mem_1', 1, 1, 1, 'r', 1, ''),
    ('doc_2', 'prj_1', 'post', 'posts/b.md', 'posts/b.md', 'B', 'mem_1', 'mem_1', 1, 1, 1, 'r', 1, '');
  INSERT INTO inbox (id, member_id, author_id, document_id, at_ms, read_ms) VALUES
    (3, 'mem_2', 'mem_1', 'doc_1', 5, NULL), (7, 'mem_2', 'mem_1', 'doc_2', 6, 8);
  INSERT INTO events (tick, type, at_ms, actor_id, project_id, document_id, via, detail) VALUES
    (1001, 'doc.write', 1, 'mem_1', 'prj_1', 'doc_1', 'api', '{}');
  INSERT INTO event_clock (only, last_tick, epoch) VALUES (1, 1001, 'e');`

t.test('a database from before rooms keeps its inbox and its events', async (t) => {
  const path = join(t.testdir(), 'workroom.db')
  oldDatabase(path, '004-rooms.sql', rows)

  for (const time of ['the first', 'the second']) {
    const database = openDatabase(path, { migrates: true })
    const db = database.connection
    t.same(
      inboxTable(db).unread('mem_2'),
      [
        {
          id: 3,
          authorId: 'mem_1',
          documentId: 'doc_1',
          messageId: null,
          commentId: null,
          atMs: 5,
          roomId: null,
          threadId: null,
          postId: null,
          body: null,
        },
      ],
      `${time} time that it is opened`,
    )
    t.same(db.prepare('SELECT id, read_ms FROM inbox ORDER BY id').all(), [
      { id: 3, read_ms: null },
      { id: 7, read_ms: 8 },
    ])
    t.notOk(inboxTable(db).addOfDocument('mem_2', 'mem_1', 'doc_2', 9), 'nobody is notified of a post twice')
    t.match(eventsTable(db).after(0, 10), [
      { tick: 1001, documentId: 'doc_1', roomId: null, messageId: null, detail: '{}' },
    ])
    t.same(db.pragma('foreign_key_check'), [])
    t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
    await database.close()
  }
})

t.test('a database from before comments keeps mentions, deliveries and loop guards', async (t) => {
  const path = join(t.testdir(), 'workroom.db')
  oldDatabase(
    path,
    '009-comments.sql',
    `INSERT INTO members (id, name, type, role, status, created_ms) VALUES
       ('mem_1', 'Ada', 'human', 'owner', 'active', 1), ('mem_2', 'Bot', 'agent', 'member', 'active', 2);
     INSERT INTO rooms (id, slug, name, type, created_ms) VALUES ('room_1', 'talk', 'Talk', 'open', 1);
     INSERT INTO messages (place, id, room_id, author_id, body, sent_ms) VALUES (4, 'msg_1', 'room_1', 'mem_1', 'x', 1);
     INSERT INTO inbox (id, member_id, author_id, message_id, at_ms, mail_due_ms) VALUES
       (3, 'mem_2', 'mem_1', 'msg_1', 5, 9);
     INSERT INTO delivery_contents (id, head) VALUES (1, X'7B'), (2, X'7B');
     INSERT INTO deliveries (place, id, member_id, event, message_id, content_id, tail, state, attempts,
         last_status, reply_id, created_ms, ended_ms, next_attempt_ms) VALUES
       (5, 'wh_1', 'mem_2', 'mention', 'msg_1', 1, '}', 'delivered', 2, 200, 'msg_1', 6, 7, NULL),
       (6, 'wh_2', 'mem_2', 'message.created', 'msg_1', 2, '}', 'pending', 1, 500, NULL, 6, NULL, 8);
     INSERT INTO wakes (room_id, one_id, other_id, at_ms) VALUES ('room_1', 'mem_1', 'mem_2', 5);
     INSERT INTO wake_chains VALUES ('room_1', 'mem_2', 7);
     INSERT INTO wake_holds VALUES ('room_1', 'mem_1', 'mem_2');`,
  )
  const database = openDatabase(path, { migrates: true })
  t.teardown(() => database.close())
  const db = database.connection
  t.match(inboxTable(db).unread('mem_2'), [{ id: 3, messageId: 'msg_1', commentId: null, body: 'x' }])
  t.equal(inboxTable(db).nextMailMs(), 9)
  const deliveries = deliveriesTable(db)
  t.match(deliveries.find('wh_1'), { state: 'delivered', attempts: 2, replyId: 'msg_1', commentId: null })
  t.match(deliveries.next('mem_2', 8), { id: 'wh_2', lastStatus: 500, nextAttemptMs: 8 })
  t.equal(deliveries.body('wh_1').toString(), '{}')
  deliveries.trim(7, 10)
  t.same(db.prepare('SELECT id FROM delivery_contents').all(), [{ id: 2 }], 'unneeded contents are removed')
  const wakes = wakesTable(db)
  t.equal(wakes.hops('room_1', 'mem_2'), 7)
  t.equal(wakes.count('room_1', ['mem_1', 'mem_2'], 0), 1)
  t.ok(wakes.isBlocked('room_1', ['mem_1', 'mem_2']))
  t.same(db.pragma('foreign_key_check'), [])
})

t.test('a database from before read positions counts every message as read', async (t) => {
  const path = join(t.testdir(), 'workroom.db')
  oldDatabase(
    path,
    '017-reading.sql',
    `INSERT INTO members (id, name, type, role, status, created_ms) VALUES ('mem_1', 'Ada', 'human', 'owner', 'active', 1);
     INSERT INTO rooms (id, slug, name, type, created_ms) VALUES ('room_1', 'talk', 'Talk', 'open', 1),
       ('room_2', 'quiet', 'Quiet', 'open', 1);
     INSERT INTO room_members VALUES ('room_1', 'mem_1', 'everything', 1), ('room_2', 'mem_1', 'everything', 1);
     INSERT INTO messages (place, id, room_id, author_id, body, sent_ms) VALUES (4, 'msg_1', 'room_1', 'mem_1', 'x', 1);`,
  )
  const database = openDatabase(path, { migrates: true })
  t.teardown(() => database.close())
  t.same(roomMembersTable(database.connection).ofMember('mem_1'), [
    { roomId: 'room_1', involvement: 'everything', isFavourite: 0, section: null, readPlace: 4 },
    { roomId: 'room_2', involvement: 'everything', isFavourite: 0, section: null, readPlace: 0 },
  ])
})

t.test(
  'a database from before asks keeps its documents, and cards get the fields of their files',
  async (t) => {
    const path = join(t.testdir(), 'workroom.db')
    const fields = (fields: object) => JSON.stringify({ frontmatter: { fields } })
    oldDatabase(
      path,
      '009-comments.sql',
      `${rows.slice(0, rows.indexOf('INSERT INTO inbox'))}
     INSERT INTO documents (id, project_id, kind, path, path_key, title, author_id, editor_id, created_ms, published_ms,
       activity_ms, number, status, position, card, revision, bytes, envelope, is_pinned, comment_count) VALUES
       ('doc_3', 'prj_1', 'card', 'board/02-todo/0001-a.md', 'board/02-todo/0001-a.md', 'A', 'mem_1', 'mem_1', 1, 1, 1, 1,
         'active', 'a0', '{"priority":"high","labels":["x"],"assignees":[]}', 'new', 1, '', 1, 3),
       ('doc_4', 'prj_1', 'card', 'board/02-todo/0002-b.md', 'board/02-todo/0002-b.md', 'B', 'mem_1', 'mem_1', 1, 1, 1, 2,
         'active', 'a1', '{"priority":"none","labels":[],"assignees":[]}', 'odd', 1, '', 0, 0);
     INSERT INTO revisions (document_id, revision, at_ms, author_id, via, bytes, content, digest) VALUES
       ('doc_3', 'old', 1, 'mem_1', 'api', 1, X'', '${fields({ kind: 'work' })}'),
       ('doc_3', 'new', 2, 'mem_1', 'api', 1, X'', '${fields({ kind: 'question', 'blocked-by': [2], resolution: 'Yes.' })}'),
       ('doc_4', 'odd', 2, 'mem_1', 'disk', 1, X'', '${fields({ kind: 7, 'blocked-by': 'x', resolution: [1] })}');`,
    )
    const database = openDatabase(path, { migrates: true })
    t.teardown(() => database.close())
    const documents = documentsTable(database.connection)
    t.equal(documents.live().length, 4)
    const plain = { priority: 'high', labels: ['x'], assignees: [] }
    t.strictSame(documents.find('doc_3')!.card, {
      ...plain,
      isQuestion: true,
      blockedBy: [2],
      resolution: 'Yes.',
    })
    t.match(documents.find('doc_3'), { isPinned: true, commentCount: 3, attachments: [], number: 1 })
    t.strictSame(documents.find('doc_4')!.card, { priority: 'none', labels: [], assignees: [] })
    t.same(database.connection.pragma('foreign_key_check'), [])
  },
)

t.test('a new database equals one migrated from the first schema', (t) => {
  t.equal(readFileSync('data/schema/structure.sql', 'utf8'), schemaOfFiles(), 'run `npm run schema`')
  const [created, migrated] = [new Sqlite(':memory:'), new Sqlite(':memory:')]
  migrate(created)
  migrateByFiles(migrated)
  t.same(contentOf(created), contentOf(migrated))
  t.equal(created.pragma('user_version', { simple: true }), latestSchema())
  t.end()
})

/** Every object of the schema and every row, including the tables of the search index. */
function contentOf(connection: Sqlite.Database) {
  // SQLite changes the quotes of a renamed table.
  const objects = connection
    .prepare(
      `SELECT type, name, tbl_name, replace(sql, '''', '"') AS sql FROM sqlite_schema ORDER BY type, name`,
    )
    .all() as { type: string; name: string }[]
  const tables = objects.filter(({ type }) => type === 'table').map(({ name }) => name)
  const rows = tables.map((name) => [name, connection.prepare(`SELECT * FROM "${name}"`).all()])
  return { objects, rows }
}

t.test('a database from before packed texts keeps search, links, stamps and names', async (t) => {
  const path = join(t.testdir(), 'workroom.db')
  const file = '# A\n\nSee [[B]], _then_ read.\n'
  const stamp = {
    dev: 65024,
    ino: 12345,
    birthtimeMs: 1764122245123.25,
    size: file.length,
    mtimeMs: 1764122245124.5,
    ctimeMs: 1764122245124.5,
    uid: 1000,
    lookedMs: 1764122246000,
  }
  const stamped = (id: string, name: string, key: string) =>
    `('${id}', 'prj_1', 'document', 'documents/${name}', 'documents/${key}', '${name}', 'mem_1', 'mem_1', 1, 1, 1, 'r', 1, '',
      '${JSON.stringify(stamp)}')`
  oldDatabase(
    path,
    '056-packed-texts.sql',
    `${rows.slice(0, rows.indexOf('INSERT INTO inbox'))}
     INSERT INTO documents (id, project_id, kind, path, path_key, title, author_id, editor_id, created_ms, published_ms,
       activity_ms, revision, bytes, envelope, stamp) VALUES
       ${stamped('doc_3', 'same.md', 'same.md')}, ${stamped('doc_4', 'Other.md', 'other.md')};
     INSERT INTO revisions (document_id, revision, at_ms, author_id, via, bytes, content, digest) VALUES
       ('doc_3', 'r', 1, 'mem_1', 'disk', ${file.length}, X'${Buffer.from(compress(Buffer.from(file))).toString('hex')}', '{}'),
       ('doc_4', 'r', 1, 'mem_1', 'disk', 1, X'', '{}');
     INSERT INTO links (document_id, place, kind, key, token, context) VALUES
       ('doc_3', 0, 'title', 'b', '[[B]]', 'See [[B]], then read.');
     INSERT INTO search_entries (id, type, subject_id, revision) VALUES
       (1, 'document', 'doc_3', 'r'), (2, 'message', 'msg_1', NULL), (3, 'document', 'doc_4', 'r');
     INSERT INTO search_text (rowid, title, body) VALUES
       (1, 'A', 'See [[B]], then read.'), (2, '', 'Read on'), (3, 'Other', 'lost');`,
  )
  const database = openDatabase(path, { migrates: true })
  t.teardown(() => database.close())
  const db = database.connection
  const documents = documentsTable(db)
  t.strictSame(documents.find('doc_3')!.stamp, stamp)
  t.match(documents.find('doc_3'), { path: 'documents/same.md', pathKey: 'documents/same.md' })
  t.match(documents.find('doc_4'), { path: 'documents/Other.md', pathKey: 'documents/other.md' })
  const taken = ['documents/same.md', 'documents/other.md', 'documents/Other.md', 'documents/none.md']
  t.same(
    taken.map((key) => documents.isTaken('prj_1', key)),
    [true, true, false, false],
  )
  t.match(linksTable(db).of('doc_3'), [{ place: 0, token: '[[B]]' }])
  const texts = entryTexts(db)
  t.same(texts.of('doc_3'), 'See [[B]], then read.')
  t.same(linkContexts(db).at('doc_3', 0), 'See [[B]], then read.')
  t.same(texts.of('msg_1'), 'Read on')
  t.same(texts.of('doc_4'), undefined, 'its revision cannot be read')
  const search = searchTable(db)
  t.match(search.outdatedDocuments('', 100).ids, ['doc_4'], 'it is to be indexed again')
  const found = db
    .prepare<[string], number>('SELECT rowid FROM search_text WHERE search_text MATCH ? ORDER BY rowid')
    .pluck()
  t.same([found.all('read'), found.all('title: other')], [[1, 2], [3]])
  search.rebuild()
  t.same([found.all('read'), found.all('title: same'), found.all('lost')], [[1, 2], [1], []])
  t.same(db.pragma('foreign_key_check'), [])
  t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
})
