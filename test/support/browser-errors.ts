import type { BrowserContext, Request } from 'playwright-core'
import type { Workroom } from './workroom.ts'

/** Collects errors on the console, uncaught errors, failed or foreign requests, dialogs and crashes. */
export class BrowserErrors {
  private readonly workroom: Pick<Workroom, 'url'>
  private readonly context: BrowserContext
  private readonly lines: string[] = []
  private readonly expected: RegExp[] = []

  constructor(workroom: Pick<Workroom, 'url'>, context: BrowserContext) {
    this.workroom = workroom
    this.context = context
    context.on('console', (message) => {
      if (message.type() === 'error') this.add(`${message.text()} (${message.location().url})`)
    })
    context.on('weberror', (error) => this.add(String(error.error().stack ?? error.error())))
    context.on('request', (request) => this.checkOrigin(request))
    context.on('requestfailed', (request) => {
      const reason = request.failure()!.errorText
      // A page aborts requests that it no longer wants, such as when it is left.
      if (reason !== 'net::ERR_ABORTED') this.add(`${request.method()} ${request.url()} failed: ${reason}`)
    })
    context.on('dialog', (dialog) => {
      this.add(`A dialog says: ${dialog.message()}`)
      void dialog.dismiss()
    })
    context.on('page', (page) => {
      page.on('crash', () => this.add(`${page.url()} crashed`))
      page.on('websocket', (socket) => {
        if (!new URL(socket.url()).pathname.startsWith('/live/documents/'))
          this.add(`A socket was opened to ${socket.url()}`)
      })
    })
  }

  /** Ignores lines that match until the next `take`. */
  expect(pattern: RegExp): void {
    this.expected.push(pattern)
  }

  /** Returns the unexpected lines since the last call, and ends all expectations. */
  async take(): Promise<string[]> {
    // Messages that a page sent before this answer have arrived with it.
    await Promise.allSettled(this.context.pages().map((page) => page.title()))
    const expected = this.expected.splice(0)
    return this.lines.splice(0).filter((line) => !expected.some((one) => one.test(line)))
  }

  private add(line: string): void {
    if (this.isServed()) this.lines.push(line)
  }

  private checkOrigin(request: Request): void {
    if (!this.isServed()) return
    const { protocol, origin } = new URL(request.url())
    if (['data:', 'blob:', 'about:'].includes(protocol) || origin === this.workroom.url) return
    this.add(`${request.method()} ${request.url()} is none of this Workroom's addresses`)
  }

  /** False once the server is stopped, when failing requests are no error. */
  private isServed(): boolean {
    try {
      return this.workroom.url !== ''
    } catch {
      return false
    }
  }
}
