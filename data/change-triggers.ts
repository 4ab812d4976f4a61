import type { Connection } from './database.ts'

export type ChangedEntity =
  | 'room'
  | 'message'
  | 'document'
  | 'project'
  | 'board'
  | 'docs'
  | 'member'
  | 'workspace'

/** Insertions and deletions always count. */
interface TriggerRule {
  table: string
  columns: readonly string[] | '*'
  /** Entity and id, as SQL in which `row` is the row. */
  entities: readonly [entity: ChangedEntity, id: string, from?: string][]
}

/** Uses of keys, checks of mirrors and stamps of files are left out, since they are not displayed at once. */
const rules: readonly TriggerRule[] = [
  { table: 'workspace', columns: ['name', 'slug'], entities: [['workspace', "''"]] },
  {
    table: 'members',
    columns: '*',
    entities: [
      ['workspace', "''"],
      ['member', 'row.id'],
    ],
  },
  { table: 'keys', columns: ['label', 'scopes', 'expires_ms'], entities: [['member', 'row.member_id']] },
  { table: 'passkeys', columns: ['label'], entities: [['member', 'row.member_id']] },
  { table: 'sessions', columns: [], entities: [['member', 'row.member_id']] },
  { table: 'invites', columns: '*', entities: [['workspace', "''"]] },
  { table: 'webhooks', columns: '*', entities: [['member', 'row.member_id']] },
  {
    table: 'deliveries',
    columns: ['state', 'attempts', 'next_attempt_ms', 'last_status', 'last_error'],
    entities: [['member', 'row.member_id']],
  },
  { table: 'inbox', columns: ['read_ms'], entities: [['member', 'row.member_id']] },
  { table: 'notices', columns: ['read_ms', 'at_ms'], entities: [['member', 'row.member_id']] },
  { table: 'notification_settings', columns: '*', entities: [['member', 'row.member_id']] },
  { table: 'push_subscriptions', columns: '*', entities: [['member', 'row.member_id']] },

  {
    table: 'rooms',
    columns: '*',
    entities: [
      ['workspace', "''"],
      ['room', 'row.id'],
    ],
  },
  { table: 'room_members', columns: [], entities: [['room', 'row.room_id']] },
  {
    table: 'room_members',
    columns: ['involvement', 'read_place', 'is_favourite', 'section'],
    entities: [['member', 'row.member_id']],
  },
  // Whatever is displayed with a message concerns the message too: a room's page fetches that alone.
  {
    table: 'messages',
    columns: ['body', 'deleted_ms', 'reply_count'],
    entities: [
      ['room', 'row.room_id'],
      ['message', 'row.id'],
    ],
  },
  ...['reactions', 'pinned_messages'].map(
    (table): TriggerRule => ({
      table,
      columns: [],
      entities: [
        ['room', 'row.room_id'],
        ['message', 'row.message_id'],
      ],
    }),
  ),

  // An upload is not displayed before a message links to it.
  {
    table: 'room_attachments',
    columns: ['deleted_ms'],
    entities: [
      ['room', 'row.room_id', '(SELECT 1 WHERE row.message_id IS NOT NULL)'],
      ['message', 'row.message_id', '(SELECT 1 WHERE row.message_id IS NOT NULL)'],
    ],
  },

  {
    table: 'projects',
    columns: '*',
    entities: [
      ['workspace', "''"],
      ['project', 'row.id'],
      // Cards and documents mark these once they are in the catalogue. Here it is whether they can be moved.
      ['board', 'row.id'],
      ['docs', 'row.id'],
    ],
  },
  {
    table: 'project_members',
    columns: ['role'],
    entities: [
      ['project', 'row.project_id'],
      ['member', 'row.member_id'],
    ],
  },
  { table: 'project_goals', columns: ['goal'], entities: [['project', 'row.project_id']] },
  { table: 'project_links', columns: '*', entities: [['project', 'row.project_id']] },
  {
    table: 'asks',
    columns: ['state', 'assignees', 'claimed_by', 'chosen_option', 'resolution'],
    entities: [
      ['project', 'row.project_id'],
      ['member', 'row.created_by'],
      ['member', 'value', 'json_each(row.assignees)'],
    ],
  },

  {
    table: 'documents',
    columns: [
      'kind',
      'path',
      'title',
      'author_id',
      'editor_id',
      'published_ms',
      'edited_ms',
      'scheduled_ms',
      'is_pinned',
      'comment_count',
      'attachments',
      'activity_ms',
      'status',
      'position',
      'card',
      'revision',
      'deleted_ms',
      'trash_path',
    ],
    entities: [
      ['document', 'row.id'],
      // A draft concerns its author alone.
      ['project', 'row.project_id', "(SELECT 1 WHERE row.kind <> 'draft')"],
      ['member', 'row.author_id', "(SELECT 1 WHERE row.kind = 'draft')"],
    ],
  },
  { table: 'comments', columns: ['body', 'deleted_ms'], entities: [['document', 'row.post_id']] },

  {
    table: 'repositories',
    columns: ['default_branch', 'commit_id', 'problem'],
    entities: [['project', 'row.project_id']],
  },
  { table: 'forges', columns: ['problem'], entities: [['project', 'row.project_id']] },
  {
    table: 'pull_requests',
    columns: ['title', 'state', 'is_draft', 'head', 'base', 'head_commit', 'description', 'updated_ms'],
    entities: [['project', 'row.project_id']],
  },
  {
    table: 'skills',
    columns: ['version', 'draft_revision', 'description'],
    entities: [['project', 'row.project_id']],
  },
]

/** Reports entities inside the transaction of the write. The workspace's id is `''`. */
export function installChangeTriggers(
  db: Connection,
  listener: (entity: ChangedEntity, id: string) => void,
): void {
  db.function('note_change', { directOnly: false }, (entity, id) => {
    listener(entity as ChangedEntity, id as string)
    return null
  })
  for (const [index, rule] of rules.entries()) for (const sql of triggersOf(rule, index)) db.exec(sql)
}

function triggersOf({ table, columns, entities }: TriggerRule, index: number): string[] {
  const watched = columns === '*' ? null : columns
  const calls = (row: 'new' | 'old') =>
    entities
      .map(([entity, id, from]) => `SELECT note_change('${entity}', ${id})${from ? ` FROM ${from}` : ''};`)
      .join(' ')
      .replace(/\brow\./g, `${row}.`)
  const trigger = (event: string, condition: string, body: string) => `
    CREATE TEMP TRIGGER change_${index}_${event.slice(0, 6).toLowerCase()} AFTER ${event} ON main.${table}
    ${condition} BEGIN ${body} END`
  const changeCondition = watched?.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ')
  return [
    trigger('INSERT', '', calls('new')),
    trigger('DELETE', '', calls('old')),
    ...(watched?.length === 0
      ? []
      : [
          trigger(
            watched ? `UPDATE OF ${watched.join(', ')}` : 'UPDATE',
            changeCondition ? `WHEN ${changeCondition}` : '',
            // The former entity is concerned as well.
            calls('old') + calls('new'),
          ),
        ]),
  ]
}
