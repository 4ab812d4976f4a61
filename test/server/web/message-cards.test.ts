import t from 'tap'
import { openSite } from '../../core/previews/site.ts'
import { openChat } from '../../support/chat.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const image = '<meta property="og:image" content="/spy.png">'
const site = await openSite(t, (_, response) => {
  response.setHeader('Content-Type', 'text/html').end(`<title>A <b>page</b> & more</title>${image}`)
})
const chat = await openChat(t, { config: { outbound: { allow: ['127.0.0.1'] } } })
const grace = await chat.person('Grace')
const linus = await chat.person('Linus', 'general')
const { _id: room } = await chat.room(grace, { members: [linus.member.id] })
const browsers = {
  grace: await new ScriptlessBrowser(chat).signIn(grace.key),
  linus: await new ScriptlessBrowser(chat).signIn(linus.key),
}
const pageOf = async (browser: ScriptlessBrowser) => (await browser.open(`/rooms/${room}`)).text
const send = async (to: string, name: string) =>
  (await chat.request('POST', `${to}?name=${name}`, { key: linus.key, body: '1234' })).json

t.test('a link to a file is shown as a card with name, type and size that downloads it', async (t) => {
  const report = await send(`/api/rooms/${room}/attachments`, 'report.pdf')
  const shared = await send('/v1/fs/projects/general/library/files', 'plan.zip')
  await chat.post(
    linus,
    room,
    `[report.pdf](${report.path}) [the *report*](${report.path}) ![](${report.path}) [plan.zip](${shared.path})`,
  )
  const page = await pageOf(browsers.linus)
  const about = [...page.matchAll(/<a class="file" [^>]*>(.*?)<\/a>/g)].map(([, inner]) => inner)
  t.strictSame(about, [
    'report.pdf<small>PDF, 4 bytes</small>',
    'the <em>report</em><small><bdi>report.pdf</bdi>, PDF, 4 bytes</small>',
    'report.pdf<small>PDF, 4 bytes</small>',
    'plan.zip<small>ZIP, 4 bytes</small>',
  ])
  const [, href] = /<a class="file" href="([^"]+)" download="report\.pdf"/.exec(page)!
  t.equal((await chat.request('GET', href!, { key: undefined })).text, '1234')
  t.equal((await browsers.linus.open(report.path)).text, '1234', 'a browser opens the address in the message')
  t.match(
    await pageOf(browsers.grace),
    />plan\.zip<\/a>/,
    'a file’s type and size are not shown to someone outside its project',
  )
  await chat.call(linus, 'DELETE', `/rooms/${room}/attachments/${report.id}`)
  const after = await pageOf(browsers.linus)
  t.notMatch(after, 'download="report.pdf"')
  t.match(after, /<a class="dead"[^>]*>report\.pdf<\/a>/)
})

t.test('a link to another site has a preview that loads nothing from that site', async (t) => {
  const link = `${site.url}tides`
  await chat.post(linus, room, `Read ${link}#high, not \`${site.url}code\``)
  const preview = await chat.eventually(async () =>
    /<ul class="previews".*?<\/ul>/s.exec(await pageOf(browsers.grace)),
  )
  t.match(
    preview![0],
    `<a href="${link}" rel="noopener noreferrer nofollow"><strong><bdi>A &lt;b&gt;page&lt;/b&gt; &amp; more`,
  )
  t.notMatch(await pageOf(browsers.grace), 'spy.png')
  t.strictSame(site.asked, ['/tides'])
  const edited = await chat.post(linus, room, 'Nothing yet')
  await chat.edit(linus, room, edited, `${site.url}edited`)
  await site.wasAsked(2)
  t.strictSame(site.asked, ['/tides', '/edited'])
})
