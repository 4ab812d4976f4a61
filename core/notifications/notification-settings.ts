import type { Database } from '../../data/database.ts'
import type {
  NotificationSettingsRow,
  NotificationSettingsTable,
} from '../../data/tables/notification-settings.ts'
import type { Caller } from '../access/member.ts'
import { requirePerson } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { type NotificationKind, notificationKinds } from '../inbox/kinds.ts'
import type { Clock } from '../time/clock.ts'

export interface NotificationSettingsView {
  mail: NotificationKind[]
  /** Such as `22:00`; null without quiet hours. */
  quietFrom: string | null
  quietUntil: string | null
  timeZone: string
  /** Unix milliseconds; null if nothing is paused. */
  pausedUntil: number | null
}

interface NotificationSettingsChanges {
  mail?: readonly NotificationKind[] | undefined
  quietFrom?: string | null | undefined
  quietUntil?: string | null | undefined
  timeZone?: string | undefined
  /** Counts from now; 0 ends the pause. */
  pauseMinutes?: number | undefined
}

interface Deps {
  database: Database
  notificationSettings: NotificationSettingsTable
  clock: Clock
}

export const maxPauseMinutes = 30 * 24 * 60
const minuteMs = 60_000
export const timeOfDay = /^([01]\d|2[0-3]):([0-5]\d)$/

/** What notifies a member. Only people have a choice. */
export class NotificationSettings {
  constructor(private readonly deps: Deps) {}

  get({ member }: Caller): NotificationSettingsView {
    return this.viewOf(this.rowOf(member.id))
  }

  /** @throws WorkspaceError `forbidden` for an agent; `bad_request` for an invalid choice */
  change(caller: Caller, changes: NotificationSettingsChanges): Promise<NotificationSettingsView> {
    requirePerson(caller.member, 'choose how they are notified')
    return commitOrUnavailable(this.deps.database, () => {
      const row = this.applyChanges(this.rowOf(caller.member.id), changes)
      this.deps.notificationSettings.put(row)
      return this.viewOf(row)
    })
  }

  isMailed(memberId: string, kind: NotificationKind): boolean {
    return !this.rowOf(memberId).unmailed.includes(kind)
  }

  isQuiet(memberId: string, nowMs: number): boolean {
    const { quietFrom, quietUntil, timeZone, pauseUntilMs } = this.rowOf(memberId)
    if (pauseUntilMs !== null && nowMs < pauseUntilMs) return true
    if (quietFrom === null || quietUntil === null) return false
    const minute = minuteOfDay(nowMs, timeZone)
    return quietFrom <= quietUntil
      ? minute >= quietFrom && minute < quietUntil
      : minute >= quietFrom || minute < quietUntil
  }

  private rowOf(memberId: string): NotificationSettingsRow {
    return (
      this.deps.notificationSettings.find(memberId) ?? {
        memberId,
        unmailed: [],
        quietFrom: null,
        quietUntil: null,
        timeZone: 'UTC',
        pauseUntilMs: null,
      }
    )
  }

  private applyChanges(
    row: NotificationSettingsRow,
    { mail, quietFrom, quietUntil, timeZone, pauseMinutes }: NotificationSettingsChanges,
  ): NotificationSettingsRow {
    const changed = {
      ...row,
      ...(mail && { unmailed: notificationKinds.filter((kind) => !mail.includes(kind)) }),
      ...(quietFrom !== undefined && { quietFrom: minutesOf(quietFrom) }),
      ...(quietUntil !== undefined && { quietUntil: minutesOf(quietUntil) }),
      ...(timeZone !== undefined && { timeZone: requireTimeZone(timeZone) }),
      ...(pauseMinutes !== undefined && { pauseUntilMs: this.pauseUntilMs(pauseMinutes) }),
    }
    if ((changed.quietFrom === null) === (changed.quietUntil === null)) return changed
    throw new WorkspaceError('bad_request', 'Give both quietFrom and quietUntil, or null for both.')
  }

  private pauseUntilMs(minutes: number): number | null {
    return minutes === 0 ? null : this.deps.clock.now() + minutes * minuteMs
  }

  private viewOf({
    unmailed,
    quietFrom,
    quietUntil,
    timeZone,
    pauseUntilMs,
  }: NotificationSettingsRow): NotificationSettingsView {
    const isPaused = pauseUntilMs !== null && this.deps.clock.now() < pauseUntilMs
    return {
      mail: notificationKinds.filter((kind) => !unmailed.includes(kind)),
      quietFrom: timeOf(quietFrom),
      quietUntil: timeOf(quietUntil),
      timeZone,
      pausedUntil: isPaused ? pauseUntilMs : null,
    }
  }
}

/** @throws WorkspaceError `bad_request` for what is no time of the day */
export function minutesOf(time: string | null): number | null {
  if (time === null) return null
  const [, hour, minute] = timeOfDay.exec(time) ?? []
  if (hour !== undefined) return 60 * Number(hour) + Number(minute)
  throw new WorkspaceError('bad_request', 'A time of the quiet hours looks like 22:00, or is null.')
}

const timeOf = (minutes: number | null): string | null =>
  minutes === null ? null : [Math.floor(minutes / 60), minutes % 60].map(twoDigits).join(':')

const twoDigits = (count: number): string => String(count).padStart(2, '0')

function requireTimeZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    throw new WorkspaceError('bad_request', 'The timeZone is an IANA name, such as Europe/Lisbon.')
  }
}

function minuteOfDay(nowMs: number, timeZone: string): number {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })
  return minutesOf(time.format(nowMs)) ?? 0
}
