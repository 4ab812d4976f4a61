/** `docs/webhooks.md#when-a-call-is-made` */
export const webhookEvents = ['mention', 'message.created', 'reply', 'comment', 'assigned'] as const
/** For a new webhook without a choice. */
export const defaultWebhookEvents = ['mention', 'message.created'] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** `cancelled`: may no longer be sent. `held`: blocked by the loop guard. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'cancelled', 'held'] as const
export type DeliveryState = (typeof deliveryStates)[number]

export interface WebhookAddress {
  url: string | null
  events: WebhookEvent[]
}

/** Times are Unix milliseconds. */
export interface WebhookView extends WebhookAddress {
  /** `failing`: five consecutive deliveries failed with all their attempts. */
  state: 'ok' | 'failing'
  failingSince: number | null
  secretCreatedAt: number | null
}

export interface DeliveryView {
  id: string
  event: WebhookEvent
  state: DeliveryState
  attempts: number
  nextAttemptAt: number | null
  lastStatus: number | null
  /** A code; for TLS with its reason. */
  lastError: string | null
  createdAt: number
}

export interface NewWebhook {
  /** Null or `''` removes the webhook. */
  url: string | null
  /** Defaults to the current events, or `defaultWebhookEvents`. */
  events?: readonly WebhookEvent[]
}
