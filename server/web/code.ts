import { extname } from 'node:path'
import type { Caller } from '../../core/access/member.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { Html, html } from './html.ts'

/** Larger files are offered as downloads: no browser shows so many lines with pleasure. */
export const maxShownBytes = 512 * 1024

/** Beyond it a text is not coloured, in UTF-16 code units. */
const maxHighlightedBytes = 128 * 1024

/** Beyond it lines are not numbered: each number is a place of its own to link to. */
const maxNumberedLines = 10_000

/** A program text as people read it: coloured by its language, with numbered lines that can be linked to as `#L12`. */
export async function code(workspace: Workspace, caller: Caller, name: string, text: string): Promise<Html> {
  return html`<div class="code-file">${numbersOf(text)}<div class="prose">${await coloured(workspace, caller, name, text)}</div></div>`
}

/** Nothing but numbers, many of them: written out without looking at each. */
function numbersOf(text: string): Html | false {
  const lines = text.replace(/\n$/, '').split('\n').length
  if (lines > maxNumberedLines) return false
  let links = ''
  for (let line = 1; line <= lines; line++)
    links += `<a id="L${line}" href="#L${line}" tabindex="-1">${line}</a>\n`
  return html`<pre class="numbers" aria-hidden="true">${new Html(links)}</pre>`
}

async function coloured(workspace: Workspace, caller: Caller, name: string, text: string): Promise<Html> {
  if (text.length > maxHighlightedBytes) return html`<pre><code>${text}</code></pre>`
  const maxFenceLength = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(maxFenceLength + 1)
  const language = extname(name).slice(1).replace(/\W/g, '')
  const body = `${fence}${language}\n${text.replace(/\n?$/, '\n')}${fence}`
  const shown = await workspace.rendering.texts.html(caller, [{ key: 'code', body }])
  return new Html(shown.get('code')!)
}
