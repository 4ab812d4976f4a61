import { onRender } from '../live.ts'

/** The text of one's own comment is in its field only while it is edited. */
export function fillCommentEdits(): void {
  const fill = (details: HTMLDetailsElement) => {
    const field = details.querySelector<HTMLTextAreaElement>('textarea[data-text]')
    if (!field || !details.open || field.value !== '') return
    field.defaultValue = field.dataset.text!
    field.value = field.defaultValue
  }
  // It does not bubble.
  document.addEventListener('toggle', ({ target }) => target instanceof HTMLDetailsElement && fill(target), {
    capture: true,
  })
  onRender(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('.comment details[open]'))
      fill(details)
  })
}
