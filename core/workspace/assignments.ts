import type { Assignments } from '../documents/deps/ports.ts'
import type { Notices } from '../inbox/notices.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'

interface AssignmentsDeps {
  noticeStore: Notices
  webhookCalls: DeliveryEnqueuer
}

export const assignmentNotifier = ({ noticeStore, webhookCalls }: AssignmentsDeps): Assignments => ({
  addForCard(before, after, content, { actorId, atMs }) {
    const assigned = noticeStore.addForCard(before, after, actorId, atMs)
    webhookCalls.enqueueForCard(after, content, assigned, { actorId, atMs })
  },
  rollBack(card, atMs) {
    noticeStore.rollBack(card.id, atMs)
    webhookCalls.cancelForDocument(card, atMs)
  },
})
