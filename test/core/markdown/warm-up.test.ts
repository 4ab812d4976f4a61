import t from 'tap'
import { analyse } from '../../../core/markdown/analyse.ts'
import { renderHtml } from '../../../core/markdown/html/render-html.ts'
import { markdownService } from '../../../core/markdown/index.ts'
import type { Job } from '../../../core/markdown/job.ts'
import { largeTextBytes } from '../../../core/markdown/large-text.ts'
import { warmUp } from '../../../core/markdown/warm-up.ts'

const jobs = [...warmUp()]
const ofKind = <Kind extends Job['kind']>(kind: Kind) =>
  jobs.filter((job): job is Job & { kind: Kind } => job.kind === kind)

t.test('a thread warms up by analysing and rendering a long document', async (t) => {
  for (const { request } of ofKind('analyse')) {
    t.ok(request.bytes.length >= largeTextBytes)
    t.match(analyse(request), { kind: 'analysis', digest: { title: 'Sample', plain: null } })
  }
  const texts = ofKind('html').map(({ request }) => String(request.body))
  t.equal(new Set(texts).size, texts.length, 'no text repeats, so none comes from a cache')
  const [{ request }] = ofKind('html') as [Job & { kind: 'html' }]
  const html = renderHtml(request, true)
  const shown = html.parts.join('')
  for (const part of [
    '<table>',
    '<blockquote',
    '<ol>',
    '<del>',
    '<hr ',
    'type="checkbox"',
    'class="footnotes"',
  ])
    t.ok(shown.includes(part), part)
  const languages = [...new Set(String(request.body).match(/(?<=```)\w+/g))]
  t.ok(languages.length > 5)
  for (const language of languages) {
    const [, code = ''] = new RegExp(`class="language-${language}">(.*?)</code>`, 's').exec(shown) ?? []
    t.match(code, /class="hljs-/, `${language} is highlighted`)
  }
})

t.test('a service answers while it warms up, and can be closed', async (t) => {
  const service = markdownService({ isWarmed: true })
  const shown = await service.html({ body: Buffer.from('*Soon*'), mentions: [], origin: '', isPlain: false })
  t.match(shown.parts.join(''), '<em>Soon</em>')
  await service.close()
  await t.rejects(service.diagram('graph TD; a-->b'), /closed/)
})
