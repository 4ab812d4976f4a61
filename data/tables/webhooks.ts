import type { Connection } from '../database.ts'

export interface WebhookRow {
  memberId: string
  url: string // '' if the agent fetches its deliveries itself
  events: ('mention' | 'message.created' | 'reply' | 'comment' | 'assigned')[]
  secret: string
  secretCreatedMs: number // Unix time, milliseconds
  previousSecret: string | null
  previousUntilMs: number | null
  failures: number // consecutive failed deliveries
  failingSinceMs: number | null // when the first of these failed
  scopes: string[] | null // scopes of the key that set it; null: all
}

interface WebhookInRoom extends Pick<WebhookRow, 'memberId' | 'events' | 'scopes'> {
  involvement: 'everything' | 'mentions' | 'nothing' | 'invisible'
}

type JsonColumns = Pick<WebhookRow, 'events' | 'scopes'>
type Stored<T extends JsonColumns> = Omit<T, keyof JsonColumns> & { events: string; scopes: string | null }

const columns = `member_id AS memberId, url, events, secret, secret_created_ms AS secretCreatedMs,
  previous_secret AS previousSecret, previous_until_ms AS previousUntilMs, failures,
  failing_since_ms AS failingSinceMs, scopes`

const fromStored = <T extends JsonColumns>(row: Stored<T>): T => {
  const scopes = row.scopes === null ? null : JSON.parse(row.scopes)
  return { ...row, events: JSON.parse(row.events), scopes } as unknown as T
}

export function webhooksTable(db: Connection) {
  const find = db.prepare<[string], Stored<WebhookRow>>(`SELECT ${columns} FROM webhooks WHERE member_id = ?`)
  // CROSS scans webhooks, since most members of rooms are people.
  const inRoom = db.prepare<[string], Stored<WebhookInRoom>>(`
    SELECT webhooks.member_id AS memberId, events, scopes, involvement
    FROM webhooks CROSS JOIN room_members ON room_members.member_id = webhooks.member_id
    WHERE room_id = ? ORDER BY webhooks.member_id`)
  const put = db.prepare<Stored<WebhookRow>>(`
    INSERT INTO webhooks (member_id, url, events, secret, secret_created_ms, previous_secret, previous_until_ms,
      failures, failing_since_ms, scopes)
    VALUES (@memberId, @url, @events, @secret, @secretCreatedMs, @previousSecret, @previousUntilMs, @failures,
      @failingSinceMs, @scopes)
    ON CONFLICT (member_id) DO UPDATE SET url = @url, events = @events, secret = @secret,
      secret_created_ms = @secretCreatedMs, previous_secret = @previousSecret,
      previous_until_ms = @previousUntilMs, failures = @failures, failing_since_ms = @failingSinceMs,
      scopes = @scopes`)
  const remove = db.prepare<[string]>('DELETE FROM webhooks WHERE member_id = ?')
  return {
    find: (memberId: string): WebhookRow | undefined => {
      const row = find.get(memberId)
      return row && fromStored<WebhookRow>(row)
    },
    inRoom: (roomId: string): WebhookInRoom[] => inRoom.all(roomId).map(fromStored<WebhookInRoom>),
    put: (row: WebhookRow): void => {
      const scopes = row.scopes && JSON.stringify(row.scopes)
      put.run({ ...row, events: JSON.stringify(row.events), scopes })
    },
    remove: (memberId: string): boolean => remove.run(memberId).changes === 1,
  }
}
export type WebhooksTable = ReturnType<typeof webhooksTable>
