import { hasScope } from '../access/permissions.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { AskEvent } from './events.ts'
import type { EventPresenter } from './kinds.ts'

/** A member sees events of their own asks even in projects that they have left, unless these are deleted. */
export const askEvents = ({ projects: store }: { projects: ProjectStore }): EventPresenter => ({
  visibilityFor({ projectId, askerId }, { caller, filter, projects }) {
    const isOwn = askerId === caller.member.id && filter.project === undefined
    const isReadable = projects.has(projectId!) || (isOwn && store.find(projectId!)?.deletedMs === null)
    if (filter.documentId !== undefined || !isReadable) return null
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
})
