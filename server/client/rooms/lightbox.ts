import { createButton } from '../button.ts'

/** Shows a picture large; Left and Right switch between pictures. */
export function openLightbox(links: readonly HTMLAnchorElement[], first: HTMLAnchorElement): void {
  const { dialog, image, caption, original, previous, next, close } = elements()
  let index = links.indexOf(first)
  const show = (target: number) => {
    if (target < 0 || target >= links.length) return
    index = target
    const { alt } = links[index]!.querySelector('img')!
    image.src = original.href = links[index]!.href
    image.alt = alt
    caption.textContent = links.length > 1 ? `${alt} (${index + 1} of ${links.length})` : alt
    // A disabled button would lose the focus.
    previous.ariaDisabled = String(index === 0)
    next.ariaDisabled = String(index === links.length - 1)
  }
  previous.hidden = next.hidden = links.length === 1
  previous.addEventListener('click', () => show(index - 1))
  next.addEventListener('click', () => show(index + 1))
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowLeft') show(index - 1)
    if (event.key === 'ArrowRight') show(index + 1)
    event.stopPropagation()
  })
  dialog.addEventListener('close', () => {
    dialog.remove()
    links[index]!.focus()
  })
  document.body.append(dialog)
  show(index)
  dialog.showModal()
}

function elements() {
  const dialog = document.createElement('dialog')
  dialog.className = 'lightbox'
  dialog.ariaLabel = 'Picture'
  const image = document.createElement('img')
  const caption = document.createElement('p')
  caption.role = 'status'
  const original = document.createElement('a')
  original.textContent = 'Open original'
  original.target = '_blank'
  const [previous, next, close] = ['Previous', 'Next', 'Close'].map((label) =>
    createButton(label, 'second'),
  ) as [HTMLButtonElement, HTMLButtonElement, HTMLButtonElement]
  close.autofocus = true
  const buttons = document.createElement('div')
  buttons.className = 'buttons'
  buttons.append(original, previous, next, close)
  dialog.append(image, caption, buttons)
  return { dialog, image, caption, original, previous, next, close }
}
