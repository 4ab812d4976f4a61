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
  touches: readonly [touched: ChangedEntity, id: string, from?: string][]
}

/** Uses of keys, checks of mirrors and stamps of files are left out, since they are not displayed at once. */
const rules: readonly TriggerRule[] = [
  { table: 'workspace', columns: ['name', 'slug'], touches: [['workspace', "''"]] },
  {
    table: 'members',
    columns: '*',
    touches: [
      ['workspace', "''"],
      ['member', 'row.id'],
    ],
  },
  { table: 'keys', columns: ['label', 'scopes', 'expires_ms'], touches: [['member', 'row.member_id']] },
  { table: 'passkeys', columns: ['label'], touches: [['member', 'row.member_id']] },
  { table: 'sessions', columns: [], touches: [['member', 'row.member_id']] },
  { table: 'invites', columns: '*', touches: [['workspace', "''"]] },
  { table: 'webhooks', columns: '*', touches: [['member', 'row.member_id']] },
  {
    table: 'deliveries',
    columns: ['state', 'attempts', 'next_attempt_ms', 'last_status', 'last_error'],
    touches: [['member', 'row.member_id']],
  },
  { table: 'inbox', columns: ['read_ms'], touches: [['member', 'row.member_id']] },
  { table: 'notices', columns: ['read_ms', 'at_ms'], touches: [['member', 'row.member_id']] },
  { table: 'notification_settings', columns: '*', touches: [['member', 'row.member_id']] },
  { table: 'push_subscriptions', columns: '*', touches: [['member', 'row.member_id']] },

  {
    table: 'rooms',
    columns: '*',
    touches: [
      ['workspace', "''"],
      ['room', 'row.id'],
    ],
  },
  { table: 'room_members', columns: [], touches: [['room', 'row.room_id']] },
  {
    table: 'room_members',
    columns: ['involvement', 'read_place', 'is_favourite', 'section'],
    touches: [['member', 'row.member_id']],
  },
  // Whatever is displayed with a message concerns the message too: a room's page fetches that alone.
  {
    table: 'messages',
    columns: ['body', 'deleted_ms', 'reply_count'],
    touches: [
      ['room', 'row.room_id'],
      ['message', 'row.id'],
    ],
  },
  ...['reactions', 'pinned_messages'].map(
    (table): TriggerRule => ({
      table,
      columns: [],
      touches: [
        ['room', 'row.room_id'],
        ['message', 'row.message_id'],
      ],
    }),
  ),

  // An upload is not displayed before a message links to it.
  {
    table: 'room_attachments',
    columns: ['deleted_ms'],
    touches: [
      ['room', 'row.room_id', '(SELECT 1 WHERE row.message_id IS NOT NULL)'],
      ['message', 'row.message_id', '(SELECT 1 WHERE row.message_id IS NOT NULL)'],
    ],
  },

  {
    table: 'projects',
    columns: '*',
    touches: [
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
    touches: [
      ['project', 'row.project_id'],
      ['member', 'row.member_id'],
    ],
  },
  { table: 'project_goals', columns: ['goal'], touches: [['project', 'row.project_id']] },
  { table: 'project_links', columns: '*', touches: [['project', 'row.project_id']] },
  {
    table: 'asks',
    columns: ['state', 'assignees', 'claimed_by', 'chosen_option', 'resolution'],
    touches: [
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
    touches: [
      ['document', 'row.id'],
      // A draft concerns its author alone.
      ['project', 'row.project_id', "(SELECT 1 WHERE row.kind <> 'draft')"],
      ['member', 'row.author_id', "(SELECT 1 WHERE row.kind = 'draft')"],
    ],
  },
  { table: 'comments', columns: ['body', 'deleted_ms'], touches: [['document', 'row.post_id']] },

  {
    table: 'repositories',
    columns: ['default_branch', 'commit_id', 'problem'],
    touches: [['project', 'row.project_id']],
  },
  { table: 'forges', columns: ['problem'], touches: [['project', 'row.project_id']] },
  {
    table: 'pull_requests',
    columns: ['title', 'state', 'is_draft', 'head', 'base', 'head_commit', 'description', 'updated_ms'],
    touches: [['project', 'row.project_id']],
  },
  {
    table: 'skills',
    columns: ['version', 'draft_revision', 'description'],
    touches: [['project', 'row.project_id']],
  },
]

/** Reports entities inside the transaction of the write. The workspace's id is `''`. */
export function installChangeTriggers(
  db: Connection,
  listener: (touched: ChangedEntity, id: string) => void,
): void {
  db.function('touched', { directOnly: false }, (touched, id) => {
    listener(touched as ChangedEntity, id as string)
    return null
  })
  for (const [place, rule] of rules.entries()) for (const sql of triggersOf(rule, place)) db.exec(sql)
}

function triggersOf({ table, columns, touches }: TriggerRule, place: number): string[] {
  const named = columns === '*' ? null : columns
  const calls = (row: 'new' | 'old') =>
    touches
      .map(([touched, id, from]) => `SELECT touched('${touched}', ${id})${from ? ` FROM ${from}` : ''};`)
      .join(' ')
      .replace(/\brow\./g, `${row}.`)
  const trigger = (event: string, condition: string, body: string) => `
    CREATE TEMP TRIGGER touched_${place}_${event.slice(0, 6).toLowerCase()} AFTER ${event} ON main.${table}
    ${condition} BEGIN ${body} END`
  const change = named?.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ')
  return [
    trigger('INSERT', '', calls('new')),
    trigger('DELETE', '', calls('old')),
    ...(named?.length === 0
      ? []
      : [
          trigger(
            named ? `UPDATE OF ${named.join(', ')}` : 'UPDATE',
            change ? `WHEN ${change}` : '',
            // The former entity is concerned as well.
            calls('old') + calls('new'),
          ),
        ]),
  ]
}
