import type { Page } from 'playwright-core'

/** The elements that Tab reaches on a page, from its top. */
export interface TabOrder {
  stops: string[]
  /** Visible controls that Tab does not reach. */
  missed: string[]
  /** Stops that are invisible, unnamed, without a focus mark, or reached twice. */
  faults: string[]
}

const maxTabStops = 400

export async function readTabOrder(page: Page): Promise<TabOrder> {
  await page.evaluate(`(() => {
    const marks = ['outline', 'boxShadow', 'borderColor', 'backgroundColor']
    const styleOf = (element) => marks.map((name) => getComputedStyle(element)[name]).join()
    const nameOf = (element) => {
      const named = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id))
      const words = [element.ariaLabel, ...named.map((one) => one?.textContent),
        ...[...(element.labels ?? [])].map((one) => one.textContent), element.textContent, element.title]
      return words.map((one) => one?.trim()).find((one) => one) ?? ''
    }
    const htmlOf = (element) => element.outerHTML.slice(0, 160)
    const walk = { stops: [], faults: [], seen: new Set() }
    let last = null
    const checkFocusMark = () => {
      if (last && styleOf(last.element) === last.style) walk.faults.push('is not marked: ' + htmlOf(last.element))
      last = null
    }
    walk.step = () => {
      const element = document.activeElement
      checkFocusMark()
      if (element === document.body || element === null) return false
      if (walk.seen.has(element)) {
        if (element !== [...walk.seen][0]) walk.faults.push('is met twice: ' + htmlOf(element))
        return false
      }
      walk.seen.add(element)
      const name = nameOf(element)
      walk.stops.push(name)
      if (name === '') walk.faults.push('has no name: ' + htmlOf(element))
      const { top, bottom, left, right, width, height } = element.getBoundingClientRect()
      const isSeen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        width > 1 && height > 1 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
      if (!isSeen) walk.faults.push('is not in sight: ' + htmlOf(element))
      last = { element, style: styleOf(element) }
      return true
    }
    walk.end = () => {
      document.activeElement?.blur()
      checkFocusMark()
      const usable = 'a[href], button:enabled, input:enabled:not([type=hidden]), select, textarea, summary, [tabindex]'
      const missed = [...document.querySelectorAll(usable)].filter((one) =>
        one.tabIndex >= 0 && !walk.seen.has(one) && one.checkVisibility({ visibilityProperty: true }) && !one.closest('[inert]'))
      return { stops: walk.stops, faults: walk.faults, missed: missed.map(htmlOf) }
    }
    globalThis.walk = walk
    // A page may have moved the focus.
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
  })()`)
  let count = 0
  do {
    await page.keyboard.press('Tab')
    count += 1
  } while (count < maxTabStops && (await page.evaluate<boolean>('walk.step()')))
  const walked = await page.evaluate<TabOrder>('walk.end()')
  if (count === maxTabStops) walked.faults.push('the page has no end')
  return walked
}
