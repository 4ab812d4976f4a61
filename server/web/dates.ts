import { type Html, html } from './html.ts'

const minutes = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const days = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
const times = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })

/** `server/client/time.ts` rewrites it in the reader's time zone. @param timeMs Unix milliseconds */
export const dateTime = (timeMs: number): Html =>
  html`<time datetime="${iso(timeMs)}">${minutes.format(timeMs)} UTC</time>`

export const day = (timeMs: number): Html =>
  html`<time datetime="${iso(timeMs)}" data-show="day">${days.format(timeMs)}</time>`

export const timeOfDay = (timeMs: number): Html =>
  html`<time datetime="${iso(timeMs)}" data-show="time">${times.format(timeMs)}</time>`

/** The time since a moment; without script, the moment itself. @param timeMs Unix milliseconds */
export const relativeTime = (timeMs: number): Html =>
  html`<time datetime="${iso(timeMs)}" data-show="ago">${minutes.format(timeMs)} UTC</time>`

const iso = (timeMs: number) => new Date(timeMs).toISOString()
