import { onRender } from '../live.ts'

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
