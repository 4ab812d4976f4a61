import type { Publications } from '../documents/deps/ports.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Previews } from '../previews/previews.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'

export interface PublicationsDeps {
  inbox: Inbox
  previews: Pick<Previews, 'want'>
  webhookCalls: DeliveryEnqueuer
}

/** Tells those whom a published post mentions, calls webhooks, and has the pages read that it links to. */
export const publicationNotifier = ({ inbox, previews, webhookCalls }: PublicationsDeps): Publications => ({
  tell(post, published, { actorId, atMs }) {
    const { mentions, links = [] } = published.digest
    previews.want(links)
    const mentioned = mentions.map(({ id }) => id)
    const told = inbox.tellOfPost(post, mentioned, actorId, atMs)
    webhookCalls.tellOfPost(post, published, told, atMs)
    return told
  },
  retract(post, atMs) {
    inbox.retract(post, atMs)
    webhookCalls.retract(post, atMs)
  },
})
