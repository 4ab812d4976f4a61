/** What a webhook can be called for (`docs/webhooks.md#when-a-call-is-made`). */
export const webhookEvents = ['mention', 'message.created'] as const
export type WebhookEvent = (typeof webhookEvents)[number]

/** How a delivery stands. `cancelled`: it may not be sent any more. `held`: agents would wake each other for ever. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled' | 'held'

/** Where an agent is called; `url` is null where it is not. */
export interface WebhookAddress {
  url: string | null
  events: WebhookEvent[]
}

/** A webhook as it is read. Times are Unix milliseconds. */
export interface WebhookView extends WebhookAddress {
  /** `failing`: five deliveries in a row have failed, each with all its attempts. */
  state: 'ok' | 'failing'
  /** Since the first of them. */
  failingSince: number | null
  secretCreatedAt: number | null
}

/** A delivery as it is listed. Times are Unix milliseconds. */
export interface DeliveryView {
  id: string
  event: WebhookEvent
  state: DeliveryState
  /** That were begun. */
  attempts: number
  nextAttemptAt: number | null
  /** What the last attempt was answered. */
  lastStatus: number | null
  /** In one word why the last attempt failed; of TLS also its code. */
  lastError: string | null
  createdAt: number
}

export interface NewWebhook {
  /** Null or `''` takes the webhook away. */
  url: string | null
  /** Default: those that it has, both for a new one. */
  events?: readonly WebhookEvent[]
}
