import { parsePatch, type StructuredPatch } from 'diff'
import type { PullRequestReading } from '../../../core/pulls/pulls.ts'
import { type Html, html } from '../html.ts'

/** UTF-16 code units. Parsing blocks other requests. */
const maxParsedBytes = 256 * 1024

/** More lines would make the browser slow. */
const maxLines = 3000

/** In lines. Longer files are folded. */
const maxExpandedLines = 400

export function diffView({
  diff,
  isDiffOld,
  problem,
}: Pick<PullRequestReading, 'diff' | 'isDiffOld' | 'problem'>): Html {
  if (diff === null)
    return html`<p class="hint">Changes are not available yet${problem !== null && `: ${problem}`}.</p>`
  if (diff.diff === null) return html`<p class="hint">The diff is too large for the forge to show.</p>`
  const isLong = diff.isCut === 1 || diff.diff.length > maxParsedBytes
  return html`${isDiffOld && html`<p class="notice warn">This diff is out of date; the current one could not be fetched.</p>`}
${files(isLong ? completeFiles(diff.diff.slice(0, maxParsedBytes)) : diff.diff, isLong)}`
}

/** Drops the last file of a diff that was cut, unless it is the only one. */
function completeFiles(text: string): string {
  const last = text.lastIndexOf('\ndiff --git ')
  return last < 0 ? text : text.slice(0, last + 1)
}

const rest = html`<p class="hint">The rest is not shown. See the full diff on the forge.</p>`

function files(text: string, isLong: boolean): Html {
  const patches = patchesIn(text)
  if (patches === null)
    return html`<div class="scroller" tabindex="0" role="region" aria-label="Diff"><pre \
class="plain-difference">${text}</pre></div>${isLong && rest}`
  if (patches.length === 0) return html`<p class="hint">No changes.</p>`
  const shown: Html[] = []
  let remaining = maxLines
  for (const patch of patches) {
    if (remaining <= 0) break
    shown.push(file(patch, remaining))
    remaining -= linesOf(patch).length
  }
  return html`${!isLong && html`<p class="hint before">${patches.length === 1 ? '1 file' : `${patches.length} files`} changed.</p>`}
${shown}${(isLong || remaining <= 0) && rest}`
}

/** Null if the text is no valid diff. */
function patchesIn(text: string): StructuredPatch[] | null {
  try {
    return parsePatch(text).filter(
      ({ hunks, oldFileName, newFileName }) => hunks.length > 0 || (oldFileName ?? newFileName) !== undefined,
    )
  } catch {
    return null
  }
}

const linesOf = ({ hunks }: StructuredPatch): string[] => hunks.flatMap(({ lines }) => lines)

function file(patch: StructuredPatch, maxShown: number): Html {
  const lines = linesOf(patch)
  const added = lines.filter((line) => line.startsWith('+')).length
  const removed = lines.filter((line) => line.startsWith('-')).length
  let remaining = maxShown
  const rows = patch.hunks.flatMap(({ oldStart, newStart, oldLines, newLines, lines }) => {
    let before = oldStart
    let after = newStart
    const head = html`<tr class="hunk"><td colspan="3">@@ -${oldStart},${oldLines} +${newStart},${newLines} @@</td></tr>
`
    const shown = lines.slice(0, Math.max(0, remaining))
    remaining -= shown.length
    return [
      head,
      ...shown.map((line) =>
        row(line, line.startsWith('+') ? '' : before++, line.startsWith('-') ? '' : after++),
      ),
    ]
  })
  const name = nameOf(patch)
  return html`<details class="changed-file" id="changed-${name}"${lines.length <= maxExpandedLines && html` open`}>
<summary><bdi>${name}</bdi> <span class="added">+${added}</span> <span class="removed">−${removed}</span></summary>
${
  rows.length > 0
    ? html`<div class="scroller" tabindex="0" role="region" aria-label="Changes of ${name}"><table \
class="difference"><tbody>${rows}</tbody></table></div>`
    : html`<p class="hint">Its content is not text, or only its name or mode has changed.</p>`
}
</details>
`
}

const kinds: Record<string, string> = { '+': 'added', '-': 'removed', '\\': 'remark' }

function row(line: string, before: number | string, after: number | string): Html {
  const mark = line[0] ?? ' '
  const words = mark === '+' ? 'added: ' : mark === '-' ? 'removed: ' : ''
  return html`<tr class="${kinds[mark] ?? 'same'}"><td class="line">${before}</td><td class="line">${after}</td><td><span \
class="unseen">${words}</span><code>${line}</code></td></tr>
`
}

/** Strips Git's prefixes `a/` and `b/`. */
function nameOf({ oldFileName = '', newFileName = '' }: StructuredPatch): string {
  const [before, after] = [oldFileName, newFileName].map((name) => name.replace(/^[ab]\//, ''))
  if (before === after || before === '/dev/null') return after!
  return after === '/dev/null' ? `${before} (deleted)` : `${before} → ${after}`
}
