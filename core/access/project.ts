export const projectRoles = ['lead', 'member'] as const
export type ProjectRole = (typeof projectRoles)[number]

/** A folder of markdown under `projects/`, and who belongs to it. */
export interface Project {
  id: string
  slug: string
  /** Its folder's name under `projects/`, as it is spelled on the disk. */
  folder: string
  name: string
  createdMs: number
  archivedMs: number | null
  /** When an owner last said that what is missing on the disk may be deleted. */
  deletionsConfirmedMs: number | null
}
