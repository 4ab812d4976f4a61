import type { Database } from '../../data/database.ts'
import type { Tree } from '../../data/tree/index.ts'
import type { Project } from '../access/project.ts'
import type { ProjectStore } from '../projects/project-store.ts'

export interface Finding {
  path: string
  problem: string
  mend: string
}

export interface DoctorContext {
  database: Database
  tree: Tree
  projects: ProjectStore
  /** Projects whose folders are present; nothing is known about the files of others. */
  present: readonly Project[]
}

export const startServerRemedy = 'Start the server; it imports the file.'
