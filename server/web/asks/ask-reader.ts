import type { Caller } from '../../../core/access/member.ts'
import type { Project } from '../../../core/access/project.ts'
import type { Workspace } from '../../../core/workspace/index.ts'

export interface AskContext {
  workspace: Workspace
  caller: Caller
  project: Project
  /** Names of those who resolved asks, by ask id, as far as known. */
  resolvers: ReadonlyMap<string, string>
}
