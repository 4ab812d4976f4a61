export const projectRoles = ['lead', 'member'] as const
export type ProjectRole = (typeof projectRoles)[number]

export interface Project {
  id: string
  slug: string
  folder: string
  name: string
  createdMs: number
  archivedMs: number | null
  /** When an owner last confirmed that missing documents may be deleted. */
  deletionsConfirmedMs: number | null
  /** Null unless the project is in the trash, or was purged from there. */
  deletedMs: number | null
  deletedBy: string | null
  /** The folder to which a deleted project is restored; null once it is purged. */
  deletedFolder: string | null
}
