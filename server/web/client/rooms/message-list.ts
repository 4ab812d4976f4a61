/** So close to the end counts as being there, in pixels. */
const endPx = 80

/** The messages of a room that the page shows: a range of all that there are. */
export class MessageList {
  /** Looked up each time: updates replace it. */
  get element(): HTMLElement {
    return document.getElementById('messages')!
  }

  get first(): string | null {
    return this.element.dataset.first ?? null
  }

  get last(): string | null {
    return this.element.dataset.last ?? null
  }

  get count(): number {
    return this.element.querySelectorAll(':scope > .message').length
  }

  get includesNewest(): boolean {
    return this.element.dataset.later === undefined
  }

  get isDisplayed(): boolean {
    return this.element.checkVisibility()
  }

  get isScrolledToEnd(): boolean {
    return this.includesNewest && scrollY + innerHeight >= document.documentElement.scrollHeight - endPx
  }

  get earlierInView(): HTMLAnchorElement | null {
    const link = this.element.querySelector<HTMLAnchorElement>('.earlier')
    return link && link.getBoundingClientRect().bottom > 0 ? link : null
  }

  scrollToEnd(): void {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
  }
}
