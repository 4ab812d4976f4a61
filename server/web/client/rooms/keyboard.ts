/**
 * Keeps what is at the foot of the page above a keyboard on the screen, where the browser lays the keyboard over the page
 * instead of making the page smaller.
 */
export function keepAboveKeyboard(onChange: () => void): void {
  const { visualViewport: viewport } = window
  if (!viewport) return
  let coveredPx = 0
  const measure = () => {
    // A page that is zoomed in is not covered.
    const covered =
      viewport.scale > 1.01 ? 0 : Math.max(0, innerHeight - viewport.height - viewport.offsetTop)
    if (Math.abs(covered - coveredPx) < 1) return
    coveredPx = covered
    document.documentElement.style.setProperty('--keyboard', `${Math.round(covered)}px`)
    onChange()
  }
  viewport.addEventListener('resize', measure)
  viewport.addEventListener('scroll', measure)
}
