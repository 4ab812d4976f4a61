import { LRUCache } from 'lru-cache'
import { percentDecode } from '../../core/text/percent-decode.ts'
import { calendarOf, isTimeZone } from '../../core/time/calendar.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { Context } from '../context.ts'

/** The language and time zone of a reader without script. */
interface TimeReader {
  /** Best first. */
  languages: readonly string[]
  /** Null if unknown: times are then marked as UTC. */
  timeZone: string | null
  nowMs: number
}

const fallback = 'en-GB'

/** Limited, since both parts of the key come from requests. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 })

const styles = {
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  time: { timeStyle: 'short' },
  day: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  dueThisYear: { day: 'numeric', month: 'short' },
  due: { dateStyle: 'medium' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** Only `dates.ts` and `board/due.ts` write such elements. */
const element = /<time ([^<>]*)>[^<]*<\/time>/g
const attribute = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`)
const [datetime, show] = [attribute('datetime'), attribute('data-show')]

/** The zone that the browser's script stored in a cookie, else the one in the member's settings. */
export function timeReaderOf(ctx: Context, { inbox, clock }: Pick<Workspace, 'inbox' | 'clock'>): TimeReader {
  const cookie = ctx.cookies.get('timezone')
  const caller = (ctx.state as Partial<Context['state']>).caller
  const named = cookie ? percentDecode(cookie) : caller ? inbox.settings.get(caller).timeZone : null
  return {
    languages: ctx.acceptsLanguages().filter((language) => language !== '*'),
    timeZone: named !== null && isTimeZone(named) ? named : null,
    nowMs: clock.now(),
  }
}

/** The reader's current day, such as `2026-06-18`; in UTC if the zone is unknown. */
export const readerDay = ({ timeZone, nowMs }: TimeReader): string => calendarOf(timeZone ?? 'UTC')(nowMs)

/** Does on the server what `server/client/time.ts` does in browsers. */
export function localizeTimes(page: string, reader: TimeReader): string {
  const locale = localeOf(reader.languages)
  const { timeZone } = reader
  let today: string | undefined
  return page.replace(element, (whole, attributes: string) => {
    const at = Date.parse(datetime.exec(attributes)?.[1] ?? '')
    if (Number.isNaN(at)) return whole
    const how = show.exec(attributes)?.[1]
    if (how === 'due') {
      today ??= readerDay(reader)
      return dueTime(attributes, at, { locale, today })
    }
    return `<time ${attributes}>${shownTime(at, how, locale, timeZone)}</time>`
  })
}

/** Returns the first language that Intl supports. */
function localeOf(languages: readonly string[]): string {
  for (const language of languages.slice(0, 5)) {
    try {
      const [known] = Intl.DateTimeFormat.supportedLocalesOf([language])
      // Intl takes English without a country for American; here it means British.
      if (known !== undefined) return known === 'en' ? fallback : known
    } catch {
      // Not a language tag.
    }
  }
  return fallback
}

function shownTime(at: number, how: string | undefined, locale: string, timeZone: string | null): string {
  // Rooms are divided into UTC days, so these stay in UTC.
  if (how === 'day') {
    const day = format(locale, 'UTC', 'day').format(at)
    return timeZone === null || timeZone === 'UTC' ? day : `${day} (UTC)`
  }
  const words = format(locale, timeZone ?? 'UTC', how === 'time' ? 'time' : 'moment').format(at)
  return timeZone === null || timeZone === 'UTC' ? `${words} UTC` : words
}

/** A due date is the same day in every time zone; whether it is late depends on the reader's day. */
function dueTime(
  attributes: string,
  at: number,
  { locale, today }: { locale: string; today: string },
): string {
  const day = new Date(at).toISOString().slice(0, 10)
  const isLate = !/(?:^| )data-ended(?: |$)/.test(attributes) && day < today
  const style = day.slice(0, 4) === today.slice(0, 4) ? 'dueThisYear' : 'due'
  const marked = attributes
    .replace(/ danger"/, '"')
    .replace(/class="([^"]*)"/, `class="$1${isLate ? ' danger' : ''}"`)
  return `<time ${marked}>${isLate ? 'Was due' : 'Due'} ${format(locale, 'UTC', style).format(at)}</time>`
}

function format(locale: string, timeZone: string, style: keyof typeof styles): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${style}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...styles[style], timeZone })
  formats.set(key, known)
  return known
}
