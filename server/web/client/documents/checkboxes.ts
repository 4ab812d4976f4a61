import { ApiError, call, errorText } from '../api.ts'
import { onBeforeMorph, onRender, refresh } from '../live.ts'
import { showToast } from '../toast.ts'

/** Finds checkboxes in the source of a list, not in an item's text. */
const marker =
  /^((?:[ \t]|>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))*(?:[-+*]|\d{1,9}[.)])[ \t]+\[)([ xX])(?=\][ \t\r\n])/gm

const conflictWords = 'Someone else changed this list at the same time. Try again.'

/** Current ids of blocks changed here, by the ids that the page may still show. */
const written = new Map<string, string>()
let last: Promise<void> = Promise.resolve()

/** Each box is saved by writing its block over exactly the block shown. */
export function tickCheckboxes(): void {
  onRender(enable)
  // An update must not disable a focused box even briefly: it would lose key presses.
  onBeforeMorph(enable)
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('.prose[data-ticks] .task-list-item input'))
      return
    const block = blockOf(target)
    if (!block) return
    const boxes = [...block.querySelectorAll('.task-list-item input')]
    const tick: Tick = {
      path: target.closest<HTMLElement>('.prose')!.dataset.ticks!,
      block: block.dataset.block!,
      at: boxes.indexOf(target),
      count: boxes.length,
      isDone: target.checked,
    }
    target.ariaLabel = tick.isDone ? 'Done' : 'To do'
    last = last.then(() => write(tick, target))
  })
}

function enable(within: ParentNode): void {
  for (const box of within.querySelectorAll<HTMLInputElement>('.task-list-item input'))
    if (box.closest('.prose[data-ticks]')) box.disabled = false
}

interface Tick {
  path: string
  block: string
  /** Index among the boxes of the block. */
  at: number
  count: number
  isDone: boolean
}

const blockOf = (box: HTMLElement): HTMLElement | null => {
  let found: HTMLElement | null = null
  for (
    let at = box.closest<HTMLElement>('[data-block]');
    at;
    at = at.parentElement?.closest('[data-block]') ?? null
  )
    found = at
  return found
}

async function write(tick: Tick, box: HTMLInputElement): Promise<void> {
  try {
    await writeBlock(tick)
  } catch (error) {
    box.checked = !tick.isDone
    const isConflict = error instanceof ApiError && error.status === 409
    showToast(isConflict ? conflictWords : errorText(error))
  }
  void refresh()
}

async function writeBlock({ path, block, at, count, isDone }: Tick): Promise<void> {
  const { json } = await call('GET', `${path}?view=blocks`)
  const withId = (id: string | undefined) => (json.blocks as Block[]).find((one) => one.id === id)
  const found = withId(block) ?? withId(written.get(block))
  if (!found) throw new ApiError(409, conflictWords, {})
  const { id } = found
  const isShortened = found.text.length !== found.offsets[1] - found.offsets[0]
  if (isShortened || [...found.text.matchAll(marker)].length !== count)
    throw new ApiError(422, 'This checkbox cannot be changed here. Edit the text instead.', {})
  let place = -1
  const body = found.text.replace(marker, (all: string, before: string) => {
    place += 1
    return place === at ? `${before}${isDone ? 'x' : ' '}` : all
  })
  const answer = await call('PUT', `${path}?block=${encodeURIComponent(id)}`, {
    body,
    headers: { 'Content-Type': 'text/markdown; charset=utf-8' },
  })
  const { written: now } = answer.json.blockIds as { written: string[] }
  if (now[0] === undefined) return
  for (const [former, present] of written) if (present === id) written.set(former, now[0])
  written.set(id, now[0])
}

interface Block {
  id: string
  text: string
  offsets: [number, number]
}
