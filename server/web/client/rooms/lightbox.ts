/** Shows a picture large; Left and Right switch between pictures. */
export function openLightbox(links: readonly HTMLAnchorElement[], first: HTMLAnchorElement): void {
  const { dialog, image, caption, original, previous, next, close } = elements()
  let place = links.indexOf(first)
  const show = (to: number) => {
    if (to < 0 || to >= links.length) return
    place = to
    const { alt } = links[place]!.querySelector('img')!
    image.src = original.href = links[place]!.href
    image.alt = alt
    caption.textContent = links.length > 1 ? `${alt} (${place + 1} of ${links.length})` : alt
    // A disabled button would lose the focus.
    previous.ariaDisabled = String(place === 0)
    next.ariaDisabled = String(place === links.length - 1)
  }
  previous.hidden = next.hidden = links.length === 1
  previous.addEventListener('click', () => show(place - 1))
  next.addEventListener('click', () => show(place + 1))
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowLeft') show(place - 1)
    if (event.key === 'ArrowRight') show(place + 1)
    event.stopPropagation()
  })
  dialog.addEventListener('close', () => {
    dialog.remove()
    links[place]!.focus()
  })
  document.body.append(dialog)
  show(place)
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
  const [previous, next, close] = ['Previous', 'Next', 'Close'].map(button) as [
    HTMLButtonElement,
    HTMLButtonElement,
    HTMLButtonElement,
  ]
  close.autofocus = true
  const buttons = document.createElement('div')
  buttons.className = 'buttons'
  buttons.append(original, previous, next, close)
  dialog.append(image, caption, buttons)
  return { dialog, image, caption, original, previous, next, close }
}

function button(label: string): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.className = 'second'
  made.textContent = label
  return made
}
