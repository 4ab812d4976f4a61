export interface LinkedPull {
  number: number
  title: string
  path: string
  url: string
}

export interface LinkedPulls {
  /** Null if the project has no such pull request. */
  find(projectId: string, number: number): LinkedPull | null
  /** Known pull requests, the most recently active first. */
  inProject(projectId: string): readonly LinkedPull[]
}
