/** In pixels: this close counts as the end. */
const endPx = 80

/** The range of a room's messages that the page shows. */
export class MessageList {
  /** Looked up each time, since updates replace it. */
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
