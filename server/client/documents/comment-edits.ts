import { onRender } from '../live.ts'

/** The field contains the comment's text only while it is being edited. */
export function fillCommentEdits(): void {
  const fill = (details: HTMLDetailsElement) => {
    const field = details.querySelector<HTMLTextAreaElement>('textarea[data-text]')
    if (!field || !details.open || field.value !== '') return
    field.defaultValue = field.dataset.text!
    field.value = field.defaultValue
  }
  // `toggle` does not bubble.
  document.addEventListener('toggle', ({ target }) => target instanceof HTMLDetailsElement && fill(target), {
    capture: true,
  })
  onRender(() => {
    for (const details of document.querySelectorAll<HTMLDetailsElement>('.comment details[open]'))
      fill(details)
  })
}
