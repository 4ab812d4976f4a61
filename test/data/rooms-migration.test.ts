import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { openDatabase } from '../../data/database.ts'
import { eventsTable } from '../../data/tables/events.ts'
import { inboxTable } from '../../data/tables/inbox.ts'

/** The schema before there were rooms. */
const before = ['001-workspace.sql', '002-documents.sql', '003-events.sql']

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

t.test('a database from before there were rooms keeps its inbox and its events', async (t) => {
  const path = join(t.testdir(), 'workroom.db')
  const old = new Sqlite(path)
  old.pragma('foreign_keys = ON')
  for (const name of before)
    old.exec(readFileSync(new URL(`../../data/schema/${name}`, import.meta.url), 'utf8'))
  old.exec(rows)
  old.pragma(`user_version = ${before.length}`)
  old.close()

  for (const time of ['the first', 'the second']) {
    const database = openDatabase(path)
    const db = database.connection
    t.same(
      inboxTable(db).unread('mem_2'),
      [{ id: 3, authorId: 'mem_1', documentId: 'doc_1', messageId: null, atMs: 5, roomId: null, body: null }],
      `${time} time that it is opened`,
    )
    t.same(db.prepare('SELECT id, read_ms FROM inbox ORDER BY id').all(), [
      { id: 3, read_ms: null },
      { id: 7, read_ms: 8 },
    ])
    t.notOk(inboxTable(db).addOfDocument('mem_2', 'mem_1', 'doc_2', 9), 'nobody is told of a post twice')
    t.match(eventsTable(db).after(0, 10), [
      { tick: 1001, documentId: 'doc_1', roomId: null, messageId: null, detail: '{}' },
    ])
    t.same(db.pragma('foreign_key_check'), [])
    t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
    await database.close()
  }
})
