import { showToast } from '../feedback.ts'
import { onRender } from '../live.ts'

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

/** In pixels from the top: the current section is the last whose heading is above. */
const readLine = 120

export function markOutline(): void {
  let isScheduled = false
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    requestAnimationFrame(() => {
      isScheduled = false
      mark()
    })
  }
  addEventListener('scroll', schedule, { passive: true })
  onRender(schedule)
}

function mark(): void {
  const outline = document.getElementById('outline')
  if (!outline) return
  const headings = [
    ...document.querySelectorAll<HTMLElement>(':is(.title, #prose, .part) > :is(h1, h2, h3, h4, h5, h6)'),
  ]
  const current =
    headings.findLast((heading) => heading.getBoundingClientRect().top < readLine) ?? headings[0]
  for (const link of outline.querySelectorAll('a')) {
    const isCurrent = current !== undefined && decodeURIComponent(link.hash.slice(1)) === current.id
    if (isCurrent === link.hasAttribute('aria-current')) continue
    if (!isCurrent) link.removeAttribute('aria-current')
    else {
      link.setAttribute('aria-current', 'location')
      keepInSight(outline, link)
    }
  }
}

function keepInSight(outline: HTMLElement, link: HTMLElement): void {
  const [frame, box] = [outline.getBoundingClientRect(), link.getBoundingClientRect()]
  if (box.top < frame.top) outline.scrollTop += box.top - frame.top
  if (box.bottom > frame.bottom) outline.scrollTop += box.bottom - frame.bottom
}
