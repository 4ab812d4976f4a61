import type { DeliveryRow } from '../../data/tables/deliveries.ts'
import type { Scope } from '../access/member.ts'

export const scopesOf = ({ messageId }: Pick<DeliveryRow, 'messageId'>): { read: Scope; reply: Scope } =>
  messageId === null
    ? { read: 'posts:read', reply: 'posts:write' }
    : { read: 'rooms:read', reply: 'rooms:write' }
