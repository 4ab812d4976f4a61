import t from 'tap'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { owner, request, clock } = workroom
const reader = await new ScriptlessBrowser(workroom).signIn(owner.key)
const dayMs = 24 * 60 * 60 * 1000
const board = '/v1/fs/projects/general/board/01-triage/paint.md'

const shown = (atMs: number, locale: string, timeZone: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(atMs)
const due = (day: string, locale: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(day))

t.test('without script, times are in the reader’s language and time zone', async (t) => {
  const at = clock.now()
  const tomorrow = new Date(at + dayMs).toISOString().slice(0, 10)
  await request('PUT', board, { body: '# Paint\n\nRed.\n' })
  const page = '/projects/general/board/1'
  const open = async (language?: string, zone?: string) =>
    (
      await reader.open(page, {
        ...(language && { 'Accept-Language': language }),
        ...(zone && { Cookie: `${reader.cookie}; timezone=${encodeURIComponent(zone)}` }),
      })
    ).text
  t.match(await open(), `>${shown(at, 'en-GB', 'UTC')} UTC</time>`)
  t.match(
    await open('de-DE,de;q=0.9,en;q=0.8'),
    `>${shown(at, 'de-DE', 'UTC')} UTC</time>`,
    'the time zone is unknown',
  )
  t.match(
    await open('fr;q=0.9,tlh;q=1', 'Pacific/Auckland'),
    `>${shown(at, 'fr', 'Pacific/Auckland')}</time>`,
    'the time zone is from the cookie that an earlier page’s script set',
  )
  t.match(await open('not a language', 'Not/A_Zone'), `>${shown(at, 'en-GB', 'UTC')} UTC</time>`)
  await request('PATCH', '/v1/inbox/settings', { body: { timeZone: 'Asia/Tokyo' } })
  t.match(await open('en-US'), `>${shown(at, 'en-US', 'Asia/Tokyo')}</time>`, 'by the member’s setting')

  await request('PUT', board, { body: `---\ndue: ${tomorrow.replace(/^\d{4}/, '2031')}\n---\n# Paint\n` })
  const later = tomorrow.replace(/^\d{4}/, '2031')
  t.match(await open('de-DE'), `>Due ${due(later, 'de-DE')}</time>`)
  const today = new Date(at).toISOString().slice(0, 10)
  await request('PUT', board, { body: `---\ndue: ${today}\n---\n# Paint\n` })
  // At 11:00 UTC it is 01:00 of the next day in Kiritimati.
  clock.set(Date.parse(`${today}T11:00:00Z`))
  t.match(await open('en-GB', 'Pacific/Kiritimati'), />Was due /)
  t.match(await open('en-GB', 'UTC'), />Due /)
})

t.test('quiet hours are offered in the browser’s time zone until the member sets another', async (t) => {
  const { key } = await workroom.addMember({ name: 'Grace', type: 'human' })
  const grace = await new ScriptlessBrowser(workroom).signIn(key)
  const offered = async () => {
    const { text } = await grace.open('/account/notifications', {
      Cookie: `${grace.cookie}; timezone=${encodeURIComponent('Pacific/Auckland')}`,
    })
    return /<input id="time-zone" [^>]*value="([^"]*)"/.exec(text)?.[1]
  }
  t.equal(await offered(), 'Pacific/Auckland')
  const hours = { quietFrom: '22:00', quietUntil: '07:00' }
  for (const timeZone of ['UTC', 'Asia/Tokyo']) {
    await request('PATCH', '/v1/inbox/settings', { key, body: { ...hours, timeZone } })
    t.equal(await offered(), timeZone)
  }
})
