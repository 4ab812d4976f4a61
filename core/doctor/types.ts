import type { Database } from '../../data/database.ts'
import type { Tree } from '../../data/tree/index.ts'
import type { Project } from '../access/project.ts'
import type { ProjectStore } from '../projects/project-store.ts'

/** A difference between the disk and the database, in words, and its mend. */
export interface Finding {
  /** Within the home. */
  path: string
  problem: string
  mend: string
}

/** What is compared. */
export interface DoctorContext {
  database: Database
  tree: Tree
  projects: ProjectStore
  /** The projects whose folders are there: where one is away, nothing is known of its files. */
  present: readonly Project[]
}

/** The mend of what a running server would do by itself. */
export const startServerRemedy = 'Start the server; it imports the file.'
