import type { Database } from '../../data/database.ts'
import type { FormerProjectSlugsTable } from '../../data/tables/former-project-slugs.ts'
import type { ProjectMembersTable } from '../../data/tables/project-members.ts'
import type { ProjectsTable } from '../../data/tables/projects.ts'
import { nameKey } from '../../data/tree/index.ts'
import type { Member } from '../access/member.ts'
import { mayListProject, requireProject, requireProjectListed } from '../access/permissions.ts'
import type { Project, ProjectRole } from '../access/project.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import { type ProjectDirectory, projectDirectoryOf } from './directory.ts'
import { nameOfFolder, newSlug, requireProjectName, requireSlug } from './naming.ts'

interface ProjectStoreDeps {
  database: Database
  projects: ProjectsTable
  projectMembers: ProjectMembersTable
  formerProjectSlugs: FormerProjectSlugsTable
  clock: Clock
  newId: NewId
}

export interface ProjectChanges {
  name?: string
  slug?: string
  archived?: boolean
}

const notDeleted = { deletedMs: null, deletedBy: null, deletedFolder: null }

const maxFormerSlugs = 100

interface JoinOptions {
  needsLead?: boolean
  onChanged?: () => void
}

/** Projects and their members, in memory and in the database, without their folders. */
export class ProjectStore {
  private readonly deps: ProjectStoreDeps
  private directory: ProjectDirectory

  constructor(deps: ProjectStoreDeps) {
    this.deps = deps
    this.directory = directoryOf(deps)
  }

  all(): readonly Project[] {
    return this.directory.all
  }

  deleted(): readonly Project[] {
    return this.directory.deleted
  }

  /** An id also finds a deleted project, which nobody is in. */
  find(slugOrId: string): Project | null {
    const { byId, bySlug, byFormerSlug } = this.directory
    const normalized = slugOrId.normalize('NFC')
    return (
      bySlug.get(slugOrId) ??
      byId.get(slugOrId) ??
      bySlug.get(normalized) ??
      byFormerSlug.get(normalized) ??
      null
    )
  }

  /** Returns null if another project has the slug now. */
  renamedFrom(slug: string): Project | null {
    const { bySlug, byFormerSlug } = this.directory
    const normalized = slug.normalize('NFC')
    return bySlug.has(normalized) ? null : (byFormerSlug.get(normalized) ?? null)
  }

  /** By id, slug, exact name or former slug; the oldest of several with one name. */
  resolve(idOrSlugOrName: string): Project | null {
    const found = this.find(idOrSlugOrName)
    if (found?.deletedMs === null) return found
    return this.directory.all.find(({ name }) => name === idOrSlugOrName) ?? null
  }

  /** @throws WorkspaceError `forbidden` outside of the project, whatever the role in the workspace */
  require(member: Member, slugOrId: string): Project {
    const project = this.requireKnown(slugOrId)
    requireProject(member, project, this.roleOf(project, member))
    return project
  }

  /** @throws WorkspaceError `not_found`; `forbidden` for members who may not know of the project */
  requireListed(member: Member, slugOrId: string): Project {
    const project = this.requireKnown(slugOrId)
    requireProjectListed(member, project, this.roleOf(project, member))
    return project
  }

  /** Null outside of the project, whatever the role in the workspace. */
  roleOf(project: Project, member: Member): ProjectRole | null {
    return this.directory.roles.get(project.id)?.get(member.id) ?? null
  }

  readableBy(member: Member): readonly Project[] {
    return this.directory.all.filter((project) => this.roleOf(project, member) !== null)
  }

  /** Oldest first. */
  listableBy(member: Member): readonly Project[] {
    return this.directory.all.filter((project) => mayListProject(member, this.roleOf(project, member)))
  }

  members(project: Project): { memberId: string; role: ProjectRole }[] {
    const roles = this.directory.roles.get(project.id) ?? []
    return [...roles].map(([memberId, role]) => ({ memberId, role }))
  }

  /** @throws WorkspaceError `invalid` for the name or slug; `conflict` if the slug is taken */
  async add(request: { name: string; slug?: string; lead: Member | null }): Promise<Project> {
    const { database, newId, projects } = this.deps
    const { name, slug, lead } = request
    requireProjectName(name)
    if (slug !== undefined) requireSlug(slug)
    if (lead) requireActive(lead)
    const id = newId('prj')
    await commitOrUnavailable(database, () => {
      const isTaken = isSlugTaken(projects.all())
      if (slug !== undefined && isTaken(slug)) throw takenSlugError(slug)
      const uniqueSlug =
        slug ?? newSlug(name, id, (one) => isTaken(one) || this.directory.byFormerSlug.has(one))
      this.insert({ id, name, slug: uniqueSlug, folder: uniqueSlug }, lead?.id ?? null)
    })
    this.refresh()
    return this.find(id)!
  }

  /** Undoes `add` when the folder could not be created. */
  async removeUnused(project: Project): Promise<void> {
    const { database, projects, projectMembers } = this.deps
    await commitOrUnavailable(database, () => {
      for (const { memberId } of this.members(project)) projectMembers.remove(project.id, memberId)
      projects.remove(project.id)
    })
    this.refresh()
  }

  /** Adopts a folder of `projects/`, with the id of its marker unless another project has it. */
  async adoptFolder(folder: string, leadId: string, markedId: string | null = null): Promise<Project> {
    const { database, newId, projects } = this.deps
    const id = await database.commit(() => {
      const otherProjects = projects.all()
      const existing = otherProjects.find((other) => other.folder === folder)
      if (existing) return existing.id
      const isAvailable = markedId !== null && otherProjects.every((other) => other.id !== markedId)
      const id = isAvailable ? markedId : newId('prj')
      const slug = newSlug(folder, id, isSlugTaken(otherProjects))
      this.insert({ id, name: nameOfFolder(folder, id), slug, folder }, leadId)
      return id
    })
    this.refresh()
    return this.find(id)!
  }

  /** Adds a member, or changes the role. `onChanged` runs in the commit. @throws WorkspaceError `conflict` */
  async join(
    project: Project,
    member: Member,
    role: ProjectRole,
    { needsLead = false, onChanged }: JoinOptions = {},
  ): Promise<void> {
    const { clock, database, projectMembers } = this.deps
    requireActive(member)
    await commitOrUnavailable(database, () => {
      if (needsLead && role !== 'lead') this.requireAnotherLead(project, member)
      if (projectMembers.roleOf(project.id, member.id) === role) return
      projectMembers.put({ projectId: project.id, memberId: member.id, role, joinedMs: clock.now() })
      onChanged?.()
    })
    this.refresh()
  }

  /** Must be called inside a commit, which `refresh` follows. */
  admit(project: Project, member: Member): void {
    const { clock, projectMembers } = this.deps
    if (projectMembers.roleOf(project.id, member.id) !== null) return
    projectMembers.put({
      projectId: project.id,
      memberId: member.id,
      role: 'member',
      joinedMs: clock.now(),
    })
  }

  /** Returns false if the member was not in it. @throws WorkspaceError `conflict` for the last lead */
  async leave(project: Project, member: Member, { needsLead = false } = {}): Promise<boolean> {
    const { database, projectMembers } = this.deps
    const wasMember = await commitOrUnavailable(database, () => {
      if (needsLead) this.requireAnotherLead(project, member)
      return projectMembers.remove(project.id, member.id)
    })
    this.refresh()
    return wasMember
  }

  /** Keeps the folder. The former slug leads to the project until another takes it. @throws WorkspaceError */
  async change(project: Project, changes: ProjectChanges): Promise<Project> {
    const { clock, database, projects } = this.deps
    const { name, slug, archived } = changes
    if (name !== undefined) requireProjectName(name)
    if (slug !== undefined && slug !== project.slug) requireSlug(slug)
    await commitOrUnavailable(database, () => {
      const current = projects.find(project.id)!
      const sinceMs = current.archivedMs ?? clock.now()
      const archivedMs = archived === undefined ? current.archivedMs : archived ? sinceMs : null
      if (slug !== undefined && slug !== current.slug) this.replaceSlug(current, slug)
      projects.change(project.id, { name: name ?? current.name, slug: slug ?? current.slug, archivedMs })
    })
    this.refresh()
    return this.find(project.id)!
  }

  /** The caller must then move the folder away from `deletedFolder`. The slug stays taken. */
  async markDeleted(project: Project, member: Member): Promise<Project> {
    const { clock, database, projects } = this.deps
    const { id, slug, folder } = project
    const deletion = { deletedMs: clock.now(), deletedBy: member.id, deletedFolder: folder }
    await commitOrUnavailable(database, () => projects.setDeletion({ id, slug, folder: id, ...deletion }))
    this.refresh()
    return this.find(id)!
  }

  /** The caller must then move the folder to `folder`. */
  async unmarkDeleted({ id, slug }: Project, folder: string): Promise<void> {
    const { database, projects } = this.deps
    await commitOrUnavailable(database, () => projects.setDeletion({ id, slug, folder, ...notDeleted }))
    this.refresh()
  }

  /** Frees the slug of a purged project. Its row stays, for the documents that refer to it. */
  async forgetDeleted({ id, deletedMs, deletedBy }: Project): Promise<void> {
    const { database, projects } = this.deps
    const deletion = { deletedMs, deletedBy, deletedFolder: null }
    await database.commit(() => projects.setDeletion({ id, slug: id, folder: id, ...deletion }))
    this.refresh()
  }

  isFolderAvailable(folder: string): boolean {
    return this.directory.all.every((project) => nameKey(project.folder) !== nameKey(folder))
  }

  /** For a folder that was renamed on the disk. The slug, and so all addresses, stay. */
  async setFolder(project: Project, folder: string): Promise<Project> {
    await this.deps.database.commit(() => this.deps.projects.setFolder(project.id, folder))
    this.refresh()
    return this.find(project.id)!
  }

  async confirmDeletions(project: Project): Promise<Project> {
    const { clock, database, projects } = this.deps
    await database.commit(() => projects.confirmDeletions(project.id, clock.now()))
    this.refresh()
    return this.find(project.id)!
  }

  /** A confirmation does not apply to what goes missing later. */
  async consumeConfirmation(project: Project): Promise<void> {
    await this.deps.database.commit(() => this.deps.projects.confirmDeletions(project.id, null))
    this.refresh()
  }

  refresh(): void {
    this.directory = directoryOf(this.deps)
  }

  private requireKnown(slugOrId: string): Project {
    const project = this.find(slugOrId)
    if (project?.deletedMs === null) return project
    throw new WorkspaceError('not_found', `There is no project ${slugOrId}.`, {
      next: { step: 'list projects' },
    })
  }

  private requireAnotherLead(project: Project, member: Member): void {
    const leads = this.deps.projectMembers.leads(project.id)
    if (!leads.includes(member.id) || leads.length > 1) return
    throw new WorkspaceError(
      'conflict',
      `${member.name} is the last lead of the project ${project.slug}. Name another lead first.`,
    )
  }

  private replaceSlug(current: Project, slug: string): void {
    const { clock, formerProjectSlugs, projects } = this.deps
    if (isSlugTaken(projects.all().filter(({ id }) => id !== current.id))(slug)) throw takenSlugError(slug)
    formerProjectSlugs.remove(slug)
    formerProjectSlugs.put({ slug: current.slug, projectId: current.id, replacedMs: clock.now() })
    formerProjectSlugs.removeBeyond(current.id, maxFormerSlugs)
  }

  private insert(identity: Pick<Project, 'id' | 'name' | 'slug' | 'folder'>, leadId: string | null): void {
    const { clock, projects, projectMembers } = this.deps
    const createdMs = clock.now()
    this.deps.formerProjectSlugs.remove(identity.slug)
    projects.insert({ ...identity, createdMs, archivedMs: null, deletionsConfirmedMs: null, ...notDeleted })
    if (leadId) {
      projectMembers.put({ projectId: identity.id, memberId: leadId, role: 'lead', joinedMs: createdMs })
    }
  }
}

const directoryOf = ({ projects, projectMembers, formerProjectSlugs }: ProjectStoreDeps): ProjectDirectory =>
  projectDirectoryOf(projects.all(), projectMembers.all(), formerProjectSlugs.all())

const takenSlugError = (slug: string) =>
  new WorkspaceError('conflict', `${slug} is taken by another project. Choose another slug.`)

function requireActive(member: Member): void {
  if (member.status === 'active') return
  throw new WorkspaceError('conflict', `${member.name} is deactivated. Activate the member first.`)
}

function isSlugTaken(otherProjects: Project[]): (slug: string) => boolean {
  const slugs = new Set(otherProjects.map(({ slug }) => slug))
  const folders = new Set(otherProjects.map(({ folder }) => nameKey(folder)))
  return (slug) => slugs.has(slug) || folders.has(nameKey(slug))
}
