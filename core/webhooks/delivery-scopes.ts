import type { DeliveryRow } from '../../data/tables/deliveries.ts'
import type { Scope } from '../access/member.ts'

/** The scopes that a webhook needs for a delivery, and for posting the reply. */
export const scopesOf = ({ messageId }: Pick<DeliveryRow, 'messageId'>): { hear: Scope; reply: Scope } =>
  messageId === null
    ? { hear: 'posts:read', reply: 'posts:write' }
    : { hear: 'rooms:read', reply: 'rooms:write' }
