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

/** A moment in words; browsers with script show it by the reader's own clock (`client/time.ts`). @param timeMs Unix milliseconds */
export const dateTime = (timeMs: number): Html =>
  html`<time datetime="${iso(timeMs)}">${minutes.format(timeMs)} UTC</time>`

export const day = (timeMs: number): Html =>
  html`<time datetime="${iso(timeMs)}" data-show="day">${days.format(timeMs)}</time>`

export const timeOfDay = (timeMs: number): Html =>
  html`<time datetime="${iso(timeMs)}" data-show="time">${times.format(timeMs)}</time>`

/** How long ago it was, for who reads with script; the moment itself for others. @param timeMs Unix milliseconds */
export const relativeTime = (timeMs: number): Html =>
  html`<time datetime="${iso(timeMs)}" data-show="ago">${minutes.format(timeMs)} UTC</time>`

const iso = (timeMs: number) => new Date(timeMs).toISOString()
