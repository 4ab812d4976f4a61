import { isUtf8 } from 'node:buffer'
import { lookup } from 'mime-types'
import type { SkillRow } from '../../data/tables/skills.ts'
import { isIgnoredName, isSafeName } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import { readUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { skillTreePath } from '../paths.ts'
import { revisionOf } from '../revisions/revision.ts'
import type { FileSnapshot } from './file-snapshot.ts'
import { requireSkillProject } from './skill-access.ts'
import { manifestName } from './skill-manifest.ts'
import { type SkillsDeps, skillPath } from './skill-publisher.ts'
import type { SkillFile, SkillListing } from './types.ts'
import { requireSkill } from './version-check.ts'

const maxFileBytes = 20 * 1024 * 1024

interface SkillFileContent {
  bytes: Buffer
  /** `text/markdown`, `text/plain` or `application/octet-stream`: nothing that a browser would run. */
  type: string
  revision: string
}

export class PublishedSkills {
  constructor(private readonly deps: SkillsDeps) {}

  async list(caller: Caller, projectIdOrSlug: string): Promise<{ project: string; skills: SkillListing[] }> {
    const project = requireSkillProject(this.deps, caller, projectIdOrSlug, 'read')
    await this.deps.publisher.reconcileAll(project)
    const rows = this.deps.skills.all(project.id).filter(isPublished)
    return { project: project.slug, skills: rows.map((row) => listingOf(project, row)) }
  }

  async folder(
    caller: Caller,
    projectIdOrSlug: string,
    name: string,
  ): Promise<{ project: string; skill: SkillListing; files: SkillFile[] }> {
    const project = requireSkillProject(this.deps, caller, projectIdOrSlug, 'read')
    const row = await this.deps.publisher.reconcile(project, name)
    const published = requireSkill(name, row && isPublished(row) ? row : undefined)
    const base = skillTreePath(project, name)
    const files = Object.entries(storedSnapshot(published)).map(([path, { size }]) => ({
      name: path,
      type: lookup(path) || 'application/octet-stream',
      size,
      path: `${base}/${path.split('/').map(encodeURIComponent).join('/')}`,
    }))
    files.sort((a, b) => (a.name < b.name ? -1 : 1))
    return { project: project.slug, skill: listingOf(project, published), files }
  }

  file(caller: Caller, projectIdOrSlug: string, name: string, path: string): SkillFileContent {
    const project = requireSkillProject(this.deps, caller, projectIdOrSlug, 'read')
    const bytes = this.read(`${skillPath(project, name)}/${path}`, [name, ...path.split('/')])
    const text = isUtf8(bytes) && !bytes.includes(0)
    const type = /\.(?:md|markdown)$/i.test(path) ? 'text/markdown' : 'text/plain'
    return { bytes, type: text ? type : 'application/octet-stream', revision: revisionOf(bytes) }
  }

  private read(path: string, names: string[]): Buffer {
    const missing = new WorkspaceError(
      'not_found',
      `There is no file ${names.slice(1).join('/')} in the skill ${names[0]}. GET its folder to list them.`,
    )
    if (names.some((name) => !isSafeName(name) || isIgnoredName(name))) throw missing
    const stat = this.deps.tree.stat(path)
    const isTooLarge =
      stat.kind === 'file'
        ? stat.stamp.size > maxFileBytes
        : stat.kind === 'skipped' && stat.reason === 'too_large'
    if (isTooLarge)
      throw new WorkspaceError('too_large', 'The file is larger than 20 MB. Read it on the disk.')
    try {
      const content = this.deps.tree.read(path)
      if (content) return content.bytes
    } catch (error) {
      throw readUnavailableError(error)
    }
    throw missing
  }
}

const storedSnapshot = (row: Pick<SkillRow, 'seen'>): FileSnapshot => JSON.parse(row.seen)

const isPublished = (row: Pick<SkillRow, 'seen'>): boolean => Object.hasOwn(storedSnapshot(row), manifestName)

const listingOf = (
  project: Project,
  { name, description, version, draftRevision }: Omit<SkillRow, 'draft'>,
): SkillListing => ({ name, description, version, draftRevision, path: skillTreePath(project, name) })
