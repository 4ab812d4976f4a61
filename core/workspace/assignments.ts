import type { Assignments } from '../documents/deps/ports.ts'
import type { Notices } from '../inbox/notices.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'

interface AssignmentsDeps {
  noticeStore: Notices
  deliveryEnqueuer: DeliveryEnqueuer
}

export const assignmentNotifier = ({ noticeStore, deliveryEnqueuer }: AssignmentsDeps): Assignments => ({
  addForCard(before, after, content, { actorId, atMs }) {
    const assigned = noticeStore.addForCard(before, after, actorId, atMs)
    deliveryEnqueuer.enqueueForCard(after, content, assigned, { actorId, atMs })
  },
  rollBack(card, atMs) {
    noticeStore.rollBack(card.id, atMs)
    deliveryEnqueuer.cancelForDocument(card, atMs)
  },
})
