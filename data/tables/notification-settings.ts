import type { Connection } from '../database.ts'

export interface NotificationSettingsRow {
  memberId: string
  unmailed: string[] // the kinds that are not mailed
  quietFrom: number | null // minute of the day; null: no quiet hours
  quietUntil: number | null
  timeZone: string // IANA name, of the quiet hours
  pauseUntilMs: number | null // Unix time, milliseconds; nothing is pushed until then
}

type Stored = Omit<NotificationSettingsRow, 'unmailed'> & { unmailed: string }

export type NotificationSettingsTable = ReturnType<typeof notificationSettingsTable>

export function notificationSettingsTable(db: Connection) {
  const find = db.prepare<[string], Stored>(`
    SELECT member_id AS memberId, unmailed, quiet_from AS quietFrom, quiet_until AS quietUntil,
      time_zone AS timeZone, pause_until_ms AS pauseUntilMs
    FROM notification_settings WHERE member_id = ?`)
  const put = db.prepare<Stored>(`
    REPLACE INTO notification_settings (member_id, unmailed, quiet_from, quiet_until, time_zone, pause_until_ms)
    VALUES (@memberId, @unmailed, @quietFrom, @quietUntil, @timeZone, @pauseUntilMs)`)
  return {
    find(memberId: string): NotificationSettingsRow | null {
      const row = find.get(memberId)
      return row ? { ...row, unmailed: JSON.parse(row.unmailed) as string[] } : null
    },
    put: (row: NotificationSettingsRow): void =>
      void put.run({ ...row, unmailed: JSON.stringify(row.unmailed) }),
  }
}
