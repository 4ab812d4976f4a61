const noticeKinds = ['card', 'ask', 'comment', 'reply', 'direct', 'answer', 'removed'] as const
export type NoticeKind = (typeof noticeKinds)[number]

export const notificationKinds = ['mention', ...noticeKinds] as const
export type NotificationKind = (typeof notificationKinds)[number]
