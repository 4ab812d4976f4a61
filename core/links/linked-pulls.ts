/** A pull request as links speak of it. */
export interface LinkedPull {
  number: number
  title: string
  /** `/v1/fs/…` */
  path: string
  /** The page where a person reads it. */
  url: string
}

/** The pull requests of projects, for links that name them. */
export interface LinkedPulls {
  /** Null where the project has none of this number. */
  find(projectId: string, number: number): LinkedPull | null
  /** All that are known of a project, those with the latest activity first. */
  inProject(projectId: string): readonly LinkedPull[]
}
