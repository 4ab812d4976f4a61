import type { MessageRow } from '../../data/tables/messages.ts'
import type { ReactionsTable } from '../../data/tables/reactions.ts'
import { authorOf } from '../access/member.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { MessageView, ReactionView } from './types.ts'

interface MessageViewDeps {
  members: Pick<MemberStore, 'find'>
  reactions: Pick<ReactionsTable, 'of'>
}

export function messageView(row: MessageRow, deps: MessageViewDeps): MessageView {
  // One statement for each message of a page would take longer than reading the page.
  const reactions = row.hasReactions === 1 ? reactionsOf(row.id, deps) : []
  return {
    _id: row.id,
    body: row.body,
    _creationTime: row.sentMs,
    author: authorOf(deps.members.find(row.authorId)!),
    ...(row.sentVia !== null && { sentVia: row.sentVia }),
    ...(row.threadId !== null && { threadId: row.threadId }),
    ...(row.replyCount > 0 && { replyCount: row.replyCount }),
    ...(row.editedMs !== null && { editedAt: row.editedMs }),
    ...(reactions.length > 0 && { reactions }),
    ...(row.isPinned === 1 && { pinned: true as const }),
  }
}

/** By emoji, in the order in which they were first used. */
export function reactionsOf(
  messageId: string,
  { members, reactions }: Pick<MessageViewDeps, 'members' | 'reactions'>,
): ReactionView[] {
  const byEmoji = new Map<string, ReactionView>()
  for (const { emoji, memberId } of reactions.of(messageId)) {
    const view = byEmoji.get(emoji) ?? { emoji, count: 0, members: [] }
    byEmoji.set(emoji, view)
    view.count += 1
    view.members.push({ _id: memberId, name: members.find(memberId)!.name })
  }
  return [...byEmoji.values()]
}
