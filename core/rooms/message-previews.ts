import { LRUCache } from 'lru-cache'
import type { Database } from '../../data/database.ts'
import type { MessageRow, MessagesTable } from '../../data/tables/messages.ts'
import type { ChangeTopics } from '../change-topics/change-topics.ts'
import { PendingWork } from '../concurrency/pending-work.ts'
import type { Previews } from '../previews/previews.ts'
import type { MessageRenderer } from '../rendering/message-renderer.ts'

interface MessagePreviewsDeps {
  database: Database
  messages: Pick<MessagesTable, 'find'>
  onProblem: (message: string, error?: unknown) => void
  previews: Pick<Previews, 'enqueue' | 'onFetched'>
  texts: Pick<MessageRenderer, 'links'>
  changeTopics: Pick<ChangeTopics, 'markChanged' | 'markMessageChanged'>
}

/** Previews of further links arrive as well, but a page shows them only when it is loaded again. */
const maxLinks = 1000

const mayLink = /https?:|www\./i

/** Has linked pages fetched, and notifies the readers of messages once previews are there. */
export class MessagePreviews {
  private readonly deps: MessagePreviewsDeps
  /** By link: the messages, with their rooms. */
  private readonly messagesByLink = new LRUCache<string, Map<string, string>>({ max: maxLinks })
  private readonly reading = new PendingWork()
  private isStopped = false

  constructor(deps: MessagePreviewsDeps) {
    this.deps = deps
    deps.previews.onFetched((link) => this.markMessagesChanged(link))
  }

  /** Must be called inside the commit that writes the message. */
  enqueue({ id }: Pick<MessageRow, 'id'>, body: string): void {
    if (mayLink.test(body)) setImmediate(() => this.startReading(id))
  }

  async stop(): Promise<void> {
    this.isStopped = true
    await this.reading.ended()
  }

  private startReading(messageId: string): void {
    if (this.isStopped) return
    void this.reading.add(
      this.read(messageId).catch((error) =>
        this.deps.onProblem('The links of a message could not be read for their previews', error),
      ),
    )
  }

  private async read(messageId: string): Promise<void> {
    const { database, messages, previews, texts } = this.deps
    const message = messages.find(messageId)
    if (!message || message.deletedMs !== null) return
    const [links = []] = await texts.links([message.body])
    if (links.length === 0) return
    for (const link of links) {
      const rooms = this.messagesByLink.get(link) ?? new Map<string, string>()
      this.messagesByLink.set(link, rooms.set(messageId, message.roomId))
    }
    await database.commit(() => previews.enqueue(links))
  }

  private markMessagesChanged(link: string): void {
    const { changeTopics } = this.deps
    for (const [messageId, roomId] of this.messagesByLink.get(link) ?? []) {
      changeTopics.markMessageChanged(messageId)
      changeTopics.markChanged(`room:${roomId}`)
    }
    this.messagesByLink.delete(link)
  }
}
