export interface LinkedPull {
  number: number
  title: string
  path: string
  url: string
}

export interface LinkedPulls {
  find(projectId: string, number: number): LinkedPull | null
  /** The most recently active first. */
  inProject(projectId: string): readonly LinkedPull[]
}
