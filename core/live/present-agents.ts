import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import type { DocumentPresence } from '../documents/presence/presence.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { LiveDocument } from './live-document.ts'
import type { LivePerson } from './protocol.ts'

interface PresentAgentsDeps {
  catalogue: Catalogue
  projects: ProjectStore
  presence: Pick<DocumentPresence, 'membersIn'>
}

/** The agents present in live texts, shown to editors like the other people. */
export class PresentAgents {
  private readonly byDocument = new Map<LiveDocument, Map<string, LivePerson>>()

  constructor(private readonly deps: PresentAgentsDeps) {}

  in(document: LiveDocument): LivePerson[] {
    return [...(this.byDocument.get(document)?.values() ?? [])]
  }

  remove(document: LiveDocument): void {
    this.byDocument.delete(document)
  }

  update(document: LiveDocument): void {
    const record = this.deps.catalogue.find(document.id)
    const project = record && this.deps.projects.find(record.projectId)
    if (!record || !project) return
    const people = this.byDocument.get(document) ?? new Map<string, LivePerson>()
    const agents = this.deps.presence.membersIn(record, project).filter(({ type }) => type === 'agent')
    for (const [memberId, { clientId, member }] of people) {
      if (agents.some((one) => one.memberId === memberId)) continue
      people.delete(memberId)
      document.notifyEditors({ type: 'left', clientId, member })
    }
    for (const { memberId, name, block } of agents) {
      const previous = people.get(memberId)
      if (previous && (previous.block ?? null) === block) continue
      const member = { id: memberId, name, kind: 'agent' }
      const at = block === null ? {} : { block }
      const clientId = `presence:${memberId}`
      people.set(memberId, { clientId, member, ranges: [], ...at })
      document.notifyEditors({ type: 'joined', clientId, member, ...at })
    }
    this.byDocument.set(document, people)
  }
}
