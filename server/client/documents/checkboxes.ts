import { ApiError, call, errorText } from '../api.ts'
import { showToast } from '../feedback.ts'
import { onBeforeMorph, onRender, refresh } from '../live.ts'

/** Finds checkboxes in the source of a list, not in an item's text. */
const marker =
  /^((?:[ \t]|>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]))*(?:[-+*]|\d{1,9}[.)])[ \t]+\[)([ xX])(?=\][ \t\r\n])/gm

const conflictMessage = 'Someone else changed this list at the same time. Try again.'

/** Current ids of blocks changed here, by the ids that the page may still show. */
const currentBlockIds = new Map<string, string>()
let lastWrite: Promise<void> = Promise.resolve()

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
      index: boxes.indexOf(target),
      count: boxes.length,
      isDone: target.checked,
    }
    target.ariaLabel = tick.isDone ? 'Done' : 'To do'
    lastWrite = lastWrite.then(() => write(tick, target))
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
  index: number
  count: number
  isDone: boolean
}

const blockOf = (box: HTMLElement): HTMLElement | null => {
  let outermost: HTMLElement | null = null
  for (
    let ancestor = box.closest<HTMLElement>('[data-block]');
    ancestor;
    ancestor = ancestor.parentElement?.closest('[data-block]') ?? null
  )
    outermost = ancestor
  return outermost
}

async function write(tick: Tick, box: HTMLInputElement): Promise<void> {
  try {
    await writeBlock(tick)
  } catch (error) {
    box.checked = !tick.isDone
    const isConflict = error instanceof ApiError && error.status === 409
    showToast(isConflict ? conflictMessage : errorText(error))
  }
  void refresh()
}

async function writeBlock({ path, block, index, count, isDone }: Tick): Promise<void> {
  const { json } = await call('GET', `${path}?view=blocks`)
  const withId = (id: string | undefined) => (json.blocks as Block[]).find((one) => one.id === id)
  const match = withId(block) ?? withId(currentBlockIds.get(block))
  if (!match) throw new ApiError(409, conflictMessage, {})
  const { id } = match
  const isShortened = match.text.length !== match.offsets[1] - match.offsets[0]
  if (isShortened || [...match.text.matchAll(marker)].length !== count)
    throw new ApiError(422, 'This checkbox cannot be changed here. Edit the text instead.', {})
  let position = -1
  const body = match.text.replace(marker, (all: string, before: string) => {
    position += 1
    return position === index ? `${before}${isDone ? 'x' : ' '}` : all
  })
  const response = await call('PUT', `${path}?block=${encodeURIComponent(id)}`, {
    body,
    headers: { 'Content-Type': 'text/markdown; charset=utf-8' },
  })
  const { written: newIds } = response.json.blockIds as { written: string[] }
  if (newIds[0] === undefined) return
  for (const [shownId, currentId] of currentBlockIds)
    if (currentId === id) currentBlockIds.set(shownId, newIds[0])
  currentBlockIds.set(id, newIds[0])
}

interface Block {
  id: string
  text: string
  offsets: [number, number]
}
