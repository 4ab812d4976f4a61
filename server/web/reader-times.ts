import { LRUCache } from 'lru-cache'
import { calendarOf, isTimeZone } from '../../core/time/calendar.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { Context } from '../context.ts'

/** In which language and time zone a page shows times to those who read without script. */
interface TimeReader {
  /** As in `Accept-Language`, best first. */
  languages: readonly string[]
  /** Null: unknown, and times say that they are UTC. */
  timeZone: string | null
  nowMs: number
}

const fallback = 'en-GB'

/** Both come from requests, so the number kept is limited. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 })

const styles = {
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  time: { timeStyle: 'short' },
  day: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  dueThisYear: { day: 'numeric', month: 'short' },
  due: { dateStyle: 'medium' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** Of `dates.ts` and `due.ts`; other HTML on pages has no such element. */
const element = /<time ([^<>]*)>[^<]*<\/time>/g
const attribute = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`)
const [datetime, show] = [attribute('datetime'), attribute('data-show')]

/** The time zone is the browser's, which its script has left in a cookie, else the one that the member has set. */
export function timeReaderOf(ctx: Context, { inbox, clock }: Pick<Workspace, 'inbox' | 'clock'>): TimeReader {
  const cookie = ctx.cookies.get('timezone')
  const caller = (ctx.state as Partial<Context['state']>).caller
  const named = cookie ? decodeText(cookie) : caller ? inbox.settings.get(caller).timeZone : null
  return {
    languages: ctx.acceptsLanguages().filter((language) => language !== '*'),
    timeZone: named !== null && isTimeZone(named) ? named : null,
    nowMs: clock.now(),
  }
}

function decodeText(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The day that it is for a reader, such as `2026-06-18`; the one of UTC where their zone is unknown. */
export const readerDay = ({ timeZone, nowMs }: TimeReader): string => calendarOf(timeZone ?? 'UTC')(nowMs)

/** Rewrites the times of a page, as its script does in browsers (`client/time.ts`). */
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

/** The first of the reader's languages in which dates can be written. */
function localeOf(languages: readonly string[]): string {
  for (const language of languages.slice(0, 5)) {
    try {
      const [known] = Intl.DateTimeFormat.supportedLocalesOf([language])
      // English without a country is American in Intl, and British here.
      if (known !== undefined) return known === 'en' ? fallback : known
    } catch {
      // Not the name of a language.
    }
  }
  return fallback
}

function shownTime(at: number, how: string | undefined, locale: string, timeZone: string | null): string {
  // Days of a room begin at midnight in UTC: its page is divided by them.
  if (how === 'day') {
    const day = format(locale, 'UTC', 'day').format(at)
    return timeZone === null || timeZone === 'UTC' ? day : `${day} (UTC)`
  }
  const words = format(locale, timeZone ?? 'UTC', how === 'time' ? 'time' : 'moment').format(at)
  return timeZone === null || timeZone === 'UTC' ? `${words} UTC` : words
}

/** A due date is a day: the same one in every time zone, and late by the reader's own day. */
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
