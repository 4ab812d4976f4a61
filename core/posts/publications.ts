import type { Publications } from '../documents/deps/ports.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Previews } from '../previews/previews.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'

export interface PublicationsDeps {
  inbox: Inbox
  previews: Pick<Previews, 'enqueue'>
  deliveryEnqueuer: DeliveryEnqueuer
}

export const publicationNotifier = ({
  inbox,
  previews,
  deliveryEnqueuer,
}: PublicationsDeps): Publications => ({
  notify(post, published, { actorId, atMs }) {
    const { mentions, links = [] } = published.digest
    previews.enqueue(links)
    const mentioned = mentions.map(({ id }) => id)
    const notified = inbox.addForPost(post, mentioned, actorId, atMs)
    deliveryEnqueuer.enqueueForPost(post, published, notified, atMs)
    return notified
  },
  rollBack(post, atMs) {
    inbox.removeForDocument(post, atMs)
    deliveryEnqueuer.cancelForDocument(post, atMs)
  },
})
