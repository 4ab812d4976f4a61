import { extname } from 'node:path'
import type { Caller } from '../../core/access/member.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { Html, html } from './html.ts'

/** Larger files are offered as downloads, since browsers display so many lines slowly. */
export const maxShownBytes = 512 * 1024

/** UTF-16 code units. Longer text is not coloured. */
const maxHighlightedBytes = 128 * 1024

/** Each line number is an element, so longer files have none. */
const maxNumberedLines = 10_000

/** Source text with syntax colours and numbered lines that can be linked to as `#L12`. */
export async function code(
  workspace: Pick<Workspace, 'rendering'>,
  caller: Caller,
  name: string,
  text: string,
): Promise<Html> {
  return html`<div class="code-file">${numbersOf(text)}<div class="prose">${await coloured(workspace, caller, name, text)}</div></div>`
}

/** Written without `html`, whose escaping takes time for many lines. */
function numbersOf(text: string): Html | false {
  const lines = text.replace(/\n$/, '').split('\n').length
  if (lines > maxNumberedLines) return false
  let links = ''
  for (let line = 1; line <= lines; line++)
    links += `<a id="L${line}" href="#L${line}" tabindex="-1">${line}</a>\n`
  return html`<pre class="numbers" aria-hidden="true">${new Html(links)}</pre>`
}

async function coloured(
  workspace: Pick<Workspace, 'rendering'>,
  caller: Caller,
  name: string,
  text: string,
): Promise<Html> {
  if (text.length > maxHighlightedBytes) return html`<pre><code>${text}</code></pre>`
  const maxFenceLength = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(maxFenceLength + 1)
  const language = extname(name).slice(1).replace(/\W/g, '')
  const body = `${fence}${language}\n${text.replace(/\n?$/, '\n')}${fence}`
  const shown = await workspace.rendering.texts.html(caller, [{ key: 'code', body }])
  return new Html(shown.get('code')!)
}
