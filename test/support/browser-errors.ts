import type { BrowserContext, Request } from 'playwright-core'
import type { Workroom } from './workroom.ts'

/**
 * What goes wrong in the pages of one person, each as a line: errors on the console (among them all that the policy for
 * content forbids, and answers of 400 and above), errors that nothing caught, requests that failed or went elsewhere than
 * to the Workroom, dialogs, and crashes.
 */
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
    context.on('request', (request) => this.lookAt(request))
    context.on('requestfailed', (request) => {
      const reason = request.failure()!.errorText
      // So does every request that a page no longer wants, such as the one that it leaves behind when it goes.
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

  /** From now on to the end of the test, complaints like this one are none. */
  expect(complaint: RegExp): void {
    this.expected.push(complaint)
  }

  /** Those since the last call, and what was expected until now is so no longer. */
  async take(): Promise<string[]> {
    // What a page has said before it answers this has arrived with the answer.
    await Promise.allSettled(this.context.pages().map((page) => page.title()))
    const expected = this.expected.splice(0)
    return this.lines.splice(0).filter((line) => !expected.some((one) => one.test(line)))
  }

  private add(line: string): void {
    if (this.isServed()) this.lines.push(line)
  }

  private lookAt(request: Request): void {
    if (!this.isServed()) return
    const { protocol, origin } = new URL(request.url())
    if (['data:', 'blob:', 'about:'].includes(protocol) || origin === this.workroom.url) return
    this.add(`${request.method()} ${request.url()} is none of this Workroom's addresses`)
  }

  /** Once the server is stopped, pages may well miss it. */
  private isServed(): boolean {
    try {
      return this.workroom.url !== ''
    } catch {
      return false
    }
  }
}
