import { call, errorText } from '../api.ts'
import { createButton } from '../button.ts'
import { withTitle } from '../editor/with-title.ts'
import { showError } from '../feedback.ts'
import { onRender, showOwnChange } from '../live.ts'

/** Creates a card from a single line; the next can be typed at once. */
export function makeQuickCards(board: HTMLElement): void {
  onRender(() => {
    for (const line of document.querySelectorAll<HTMLElement>('.pending-card[data-card]'))
      removeOnceShown(line)
  })
  for (const form of board.querySelectorAll<HTMLFormElement>('.quick-card')) {
    form.hidden = false
    const field = form.querySelector('input')!
    let queue = Promise.resolve()
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const title = field.value.replace(/\s+/g, ' ').trim()
      if (title === '') return
      field.value = ''
      const line = pendingCard(form, title)
      queue = queue.then(() => createCard(form, field, line, title))
    })
  }
}

/** An update may show the card before the response arrives. */
function removeOnceShown(line: HTMLElement): void {
  if (document.getElementById(`card-${line.dataset.card}`)) line.remove()
}

function pendingCard(form: HTMLFormElement, title: string): HTMLElement {
  const line = document.createElement('p')
  line.className = 'pending-card'
  line.dataset.keep = ''
  line.textContent = title
  form.before(line)
  return line
}

/** On failure, puts the title back unless something else has been typed. */
async function createCard(
  form: HTMLFormElement,
  field: HTMLInputElement,
  line: HTMLElement,
  title: string,
): Promise<void> {
  try {
    const { folder } = form.dataset
    const { json } = await call(
      'PUT',
      `${folder}/new-${crypto.getRandomValues(new Uint32Array(2)).join('')}.md`,
      {
        body: withTitle('', title),
        headers: { 'Content-Type': 'text/markdown; charset=utf-8', 'If-None-Match': '*' },
      },
    )
    showError(form, null)
    line.dataset.card = String(json.id)
    removeOnceShown(line)
    await showOwnChange()
  } catch (error) {
    if (field.value === '') {
      field.value = title
      line.remove()
    } else keepForLater(line, field)
    showError(form, errorText(error))
  }
}

function keepForLater(line: HTMLElement, field: HTMLInputElement): void {
  const title = line.textContent ?? ''
  const button = createButton('Edit', 'quiet', () => {
    field.value = title
    line.remove()
    field.focus()
  })
  line.append(' not added ', button)
}
