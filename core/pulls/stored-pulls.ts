import type { PullRequestsTable } from '../../data/tables/pull-requests.ts'
import type { LinkedPull, LinkedPulls } from '../links/linked-pulls.ts'
import { pullPagePath, pullsTreePath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'

interface StoredPullsDeps {
  projects: Pick<ProjectStore, 'find'>
  pullRequests: PullRequestsTable
  pageUrl: (path: string) => string
}

export class StoredPulls implements LinkedPulls {
  constructor(private readonly deps: StoredPullsDeps) {}

  find(projectId: string, number: number): LinkedPull | null {
    const pull = this.deps.pullRequests.find(projectId, number)
    return pull ? this.linkOf(projectId, pull) : null
  }

  inProject(projectId: string): LinkedPull[] {
    return this.deps.pullRequests.titles(projectId).map((pull) => this.linkOf(projectId, pull))
  }

  private linkOf(projectId: string, { number, title }: { number: number; title: string }): LinkedPull {
    const { pageUrl, projects } = this.deps
    const project = projects.find(projectId)!
    return {
      number,
      title,
      path: pullsTreePath(project, number),
      url: pageUrl(pullPagePath(project, number)),
    }
  }
}
