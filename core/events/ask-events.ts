import { hasScope } from '../access/permissions.ts'
import type { AskEvent } from './events.ts'
import type { EventPresenter } from './kinds.ts'

/**
 * State changes of asks (`docs/interface.md#events`), including the caller's own, and those in projects that the
 * caller has left.
 */
export const askEvents: EventPresenter = {
  visibilityFor({ projectId, askerId }, { caller, filter, projects }) {
    const isOwn = askerId === caller.member.id && filter.project === undefined
    if (filter.documentId !== undefined || !(isOwn || projects.has(projectId!))) return null
    return hasScope(caller, 'asks:read') ? '' : null
  },
  json({ atMs, projectId, detail }) {
    const { askId, state, preview, chosenOption, resolution } = JSON.parse(detail) as AskEvent['detail']
    return JSON.stringify({
      type: 'ask',
      ts: atMs,
      askId,
      askState: state,
      preview,
      projectId,
      chosenOption,
      resolution,
    })
  },
}
