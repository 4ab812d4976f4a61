import type { Page, WebSocketRoute } from 'playwright-core'
import type { Test } from 'tap'
import type { ClientMessage, ServerMessage } from '../../core/live/protocol.ts'
import type { PageOptions } from './browser.ts'
import type { Actor } from './chat.ts'
import { type EditorPages, openEditor, openEditorPages, textbox } from './editor-pages.ts'
import { LiveAuthority } from './live-authority.ts'

/** What tests of the editor of live texts share. */
interface LiveDocuments extends EditorPages {
  create(title: string, body: string): Promise<LiveDocument>
  /** A document that the page is to create with this title and text. */
  documentToCreate(title: string, body: string): LiveDocument
}

export async function openLiveDocuments(t: Test): Promise<LiveDocuments> {
  const pages = await openEditorPages(t)
  return {
    ...pages,
    async create(title, body) {
      const { json } = await pages.put('docs/x.md', `# ${title}\n\n${body}`)
      return new LiveDocument(pages, title, body, String(json.path))
    },
    documentToCreate: (title, body) => new LiveDocument(pages, title, body, ''),
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
  readonly path: string
  isReachable = true
  private readonly pages: EditorPages
  private readonly sockets = new Set<WebSocketRoute>()
  private readonly editPath: string

  constructor(pages: EditorPages, title: string, body: string, path: string) {
    this.pages = pages
    this.authority = new LiveAuthority(`# ${title}\n\n${body}`)
    this.path = path
    this.editPath = `/projects/harbour/edit/docs/${title.toLowerCase()}`
  }

  async open(who: Actor, options: PageOptions = {}): Promise<Page> {
    const { browser, workroom } = this.pages
    const page = await browser.openPageAs(workroom, who, options)
    await this.attach(page, who)
    await this.show(page)
    return page
  }

  /** Serves the live text of a page. */
  async attach(page: Page, who: Actor): Promise<void> {
    await page.context().routeWebSocket(/\/live\/documents\//, (socket) => this.serve(socket, who))
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

  private serve(socket: WebSocketRoute, { member: { id, name } }: Actor): void {
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
