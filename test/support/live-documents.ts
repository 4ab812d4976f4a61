import type { BrowserContext, Page, WebSocketRoute } from 'playwright-core'
import type { Test } from 'tap'
import type { ClientMessage, ServerMessage } from '../../core/live/protocol.ts'
import type { Actor } from './chat.ts'
import { type EditorPages, openEditor, openEditorPages, textbox } from './editor-pages.ts'
import { LiveAuthority } from './live-authority.ts'

/** What tests of the editor of live texts share. */
interface LiveDocuments extends EditorPages {
  /** The owner's page, and Grace's. */
  ada: Page
  graces: Page
  create(title: string, body: string): Promise<LiveDocument>
}

export async function openLiveDocuments(t: Test): Promise<LiveDocuments> {
  const pages = await openEditorPages(t)
  const { browser, workroom, grace, put } = pages
  const { owner } = workroom
  const [ada, graces] = [await browser.openPageAs(workroom, owner), await browser.openPageAs(workroom, grace)]
  return {
    ...pages,
    ada,
    graces,
    async create(title, body) {
      const { json } = await put('docs/x.md', `# ${title}\n\n${body}`)
      const document = new LiveDocument(title, body, json)
      await document.serve(ada.context(), owner)
      await document.serve(graces.context(), grace)
      return document
    },
  }
}

/** Another member, for writes that no page makes. */
export const bo = { id: 'mem_bo', name: 'Bo', kind: 'human' }

export const editorText = async (page: Page): Promise<string> =>
  (await textbox(page).locator('.cm-line').allTextContents()).join('\n')

export const editorStatus = (page: Page): Promise<string> => page.locator('.editor-state').innerText()

/** A document with a simulated server of live texts, which a test controls. */
export class LiveDocument {
  readonly authority: LiveAuthority
  isReachable = true
  private readonly sockets = new Set<WebSocketRoute>()
  private readonly editPath: string

  /** @param stored what the server answered when it stored the document; none if a page is to create it */
  constructor(
    title: string,
    body: string,
    private readonly stored?: { id: string; path: string },
  ) {
    this.authority = new LiveAuthority(`# ${title}\n\n${body}`)
    this.editPath = `/projects/harbour/edit/docs/${title.toLowerCase()}`
  }

  get path(): string {
    return this.stored!.path
  }

  /** Serves the live text to pages, from their next load on; to all that they open, if it is not stored yet. */
  async serve(pages: Page | BrowserContext, who: Actor): Promise<void> {
    const address = new RegExp(`/live/documents/${this.stored?.id ?? ''}`)
    await pages.routeWebSocket(address, (socket) => this.connect(socket, who))
  }

  show(page: Page): Promise<void> {
    return openEditor(page, this.editPath)
  }

  /** Closes all connections. */
  async closeConnections(code = 1012): Promise<void> {
    const open = [...this.sockets]
    this.sockets.clear()
    for (const socket of open) await socket.close({ code })
  }

  private connect(socket: WebSocketRoute, { member: { id, name } }: Actor): void {
    if (!this.isReachable) {
      void socket.close({ code: 1013 })
      return
    }
    this.sockets.add(socket)
    const send = (message: ServerMessage) => {
      if (this.sockets.has(socket)) socket.send(JSON.stringify(message))
    }
    const { receive, close } = this.authority.connect(send, { id, name, kind: 'human' })
    socket.onMessage((message) => receive(JSON.parse(String(message)) as ClientMessage))
    socket.onClose(() => {
      this.sockets.delete(socket)
      close()
    })
  }
}
