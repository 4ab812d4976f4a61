import { showToast } from '../feedback.ts'

/** Shows a link to copy beside the heading under the pointer. Keyboards use the outline. */
export function linkHeadings(text: HTMLElement): void {
  const link = document.createElement('a')
  link.className = 'heading-link'
  link.textContent = '#'
  link.tabIndex = -1
  link.ariaLabel = 'Link to this section'
  link.hidden = true
  text.append(link)
  text.addEventListener('pointerover', (event) => {
    const heading = (event.target as Element).closest<HTMLElement>(
      ':is(#prose, .part) > :is(h1, h2, h3, h4, h5, h6)[id]',
    )
    if (!heading) return
    link.href = `#${encodeURIComponent(heading.id)}`
    link.style.top = `${heading.offsetTop}px`
    link.style.height = `${heading.offsetHeight}px`
    link.hidden = false
  })
  text.addEventListener('pointerleave', () => {
    link.hidden = true
  })
  link.addEventListener('click', () => {
    if (!('clipboard' in navigator)) return
    navigator.clipboard.writeText(link.href).then(
      () => showToast('Link copied.'),
      () => {},
    )
  })
}
