import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { Workspace } from '../../../core/workspace/index.ts'

export interface AskContext {
  workspace: Workspace
  caller: Caller
  project: Project
  /** By the id of an ask that is resolved, as far as it is known: who has resolved it, by name. */
  resolvers: ReadonlyMap<string, string>
}
