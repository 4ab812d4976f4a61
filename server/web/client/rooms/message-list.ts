/** So close to the end counts as being there, in pixels. */
const endPx = 80

/** The messages of a room that the page shows: a range of all that there are. */
export class MessageList {
  /** Looked up each time: showing the page anew replaces it. */
  get element(): HTMLElement {
    return document.getElementById('messages')!
  }

  /** The id of the first message that is shown. */
  get first(): string | null {
    return this.element.dataset.first ?? null
  }

  /** The id of the last one. */
  get last(): string | null {
    return this.element.dataset.last ?? null
  }

  get count(): number {
    return this.element.querySelectorAll(':scope > .message').length
  }

  get includesNewest(): boolean {
    return this.element.dataset.later === undefined
  }

  /** On a phone an open thread takes its place. */
  get isDisplayed(): boolean {
    return this.element.checkVisibility()
  }

  /** Whether the reader has scrolled to the newest message. */
  get isScrolledToEnd(): boolean {
    return this.includesNewest && scrollY + innerHeight >= document.documentElement.scrollHeight - endPx
  }

  /** The link to earlier messages, where it is in view. */
  get earlierInView(): HTMLAnchorElement | null {
    const link = this.element.querySelector<HTMLAnchorElement>('.earlier')
    return link && link.getBoundingClientRect().bottom > 0 ? link : null
  }

  scrollToEnd(): void {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
  }
}
