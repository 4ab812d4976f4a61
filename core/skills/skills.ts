import type { SkillRow } from '../../data/tables/skills.ts'
import { illegalNameReason, isIgnoredName } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import { commitOrUnavailable, writeUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { skillTreePath } from '../paths.ts'
import { requireSkillAccess, requireSkillProject } from './skill-access.ts'
import { pack, readSkillFiles, type SkillFiles, unpack } from './skill-files.ts'
import { descriptionIn, manifestName, requireManifest } from './skill-manifest.ts'
import type { SkillsDeps, StagedVersion } from './skill-publisher.ts'
import type { SkillAddress, SkillExpectation, SkillRecord } from './types.ts'
import { requireExpectedVersion, requireSkill } from './version-check.ts'

const maxSkills = 200

export class Skills {
  constructor(private readonly deps: SkillsDeps) {}

  /** By name, including drafts. */
  async all(caller: Caller, projectIdOrSlug: string): Promise<SkillRecord[]> {
    const project = requireSkillProject(this.deps, caller, projectIdOrSlug, 'read')
    await this.deps.publisher.reconcileAll(project)
    return this.deps.skills.all(project.id).map((row) => toRecord(project, row))
  }

  /** Without a version, returns the files of the draft, or null. */
  async find(
    caller: Caller,
    { project: projectIdOrSlug, name }: SkillAddress,
    version: number | null,
  ): Promise<SkillRecord & { files: Record<string, string> | null }> {
    const project = requireSkillProject(this.deps, caller, projectIdOrSlug, 'read')
    const row = requireSkill(name, await this.deps.publisher.reconcile(project, name))
    const packed = version === null ? row.draft : this.packedVersion(row, version)
    return { ...toRecord(project, row), files: packed && Object.fromEntries(await unpack(packed)) }
  }

  /** @throws WorkspaceError `bad_request` for the name or a file; `conflict` for an outdated expectation */
  async save(
    caller: Caller,
    { project: projectIdOrSlug, name }: SkillAddress,
    request: SkillExpectation & { files: Record<string, unknown> },
  ): Promise<SkillRecord> {
    const project = requireSkillProject(this.deps, caller, projectIdOrSlug, 'write')
    requireSkillName(name)
    const files = readSkillFiles(request.files)
    const manifest = files.get(manifestName)
    if (manifest !== undefined) requireManifest(manifest, name)
    await this.deps.publisher.reconcile(project, name)
    const draft = await pack(files)
    const { clock, database, skills } = this.deps
    const saved = await commitOrUnavailable(database, () => {
      requireSkillAccess(this.deps, caller, project.id, 'write')
      const row = skills.find(project.id, name)
      requireExpectedVersion(project, name, row, request)
      if (!row && skills.count(project.id) >= maxSkills)
        throw new WorkspaceError('bad_request', `A project has at most ${maxSkills} skills.`)
      const present = row ?? { projectId: project.id, name, ...newSkill }
      const draftRevision = present.draftRevision + 1
      const saved = { ...present, draft, draftRevision, changedMs: clock.now() }
      skills.put(saved)
      return saved
    })
    return toRecord(project, saved)
  }

  /** @throws WorkspaceError `bad_request` without a draft or SKILL.md; as `save` */
  async publish(
    caller: Caller,
    { project: projectIdOrSlug, name }: SkillAddress,
    expectation: SkillExpectation,
  ): Promise<SkillRecord> {
    const project = requireSkillProject(this.deps, caller, projectIdOrSlug, 'write')
    requireSkill(name, await this.deps.publisher.reconcile(project, name))
    return this.deps.publisher.withLock(project, name, async () => {
      const row = requireSkill(name, await this.deps.publisher.reconcileLocked(project, name))
      requireExpectedVersion(project, name, row, expectation)
      const files = await requirePublishable(row)
      const stagedVersion = await this.deps.publisher.prepare(files).catch((error) => {
        throw writeUnavailableError(error)
      })
      try {
        // Edits made meanwhile become a version, which the commit notices.
        await this.deps.publisher.reconcileLocked(project, name)
        return toRecord(
          project,
          await this.commit(caller, project, name, { expectation, files, stagedVersion }),
        )
      } catch (error) {
        await this.deps.publisher.discard(stagedVersion)
        throw error
      }
    })
  }

  /** The row first, so that a start after a crash places the files. */
  private async commit(
    caller: Caller,
    project: Project,
    name: string,
    {
      expectation,
      files,
      stagedVersion,
    }: { expectation: SkillExpectation; files: SkillFiles; stagedVersion: StagedVersion },
  ): Promise<SkillRow> {
    const { clock, database, events, onProblem, skills, versions } = this.deps
    const { before, after, tick } = await commitOrUnavailable(database, () => {
      requireSkillAccess(this.deps, caller, project.id, 'write')
      const before = requireSkill(name, skills.find(project.id, name))
      requireExpectedVersion(project, name, before, expectation)
      const version = before.version + 1
      const after: SkillRow = {
        ...before,
        version,
        description: descriptionIn(files.get(manifestName)!),
        seen: JSON.stringify(stagedVersion.seen),
        isPlaced: false,
        changedMs: clock.now(),
      }
      skills.put(after)
      const { projectId, draft, changedMs } = after
      versions.insert({ projectId, name, version, atMs: changedMs, authorId: caller.member.id, files: draft })
      const tick = events.append({
        type: 'skill.publish',
        projectId,
        actorId: caller.member.id,
        detail: { name, version, isPublished: true },
      })
      return { before, after, tick }
    })
    try {
      const finish = this.deps.publisher.place(after, before, stagedVersion)
      await finish().catch((error) => onProblem(`The skill ${name} is not known to be durable yet`, error))
      return after
    } catch (error) {
      database.commitNow(() => {
        versions.remove(project.id, name, after.version)
        events.remove(tick)
        const { version, description, seen, isPlaced } = before
        // A draft may have been saved in the same commit.
        skills.put({ ...skills.find(project.id, name)!, version, description, seen, isPlaced })
      })
      throw writeUnavailableError(error)
    }
  }

  private packedVersion({ projectId, name }: SkillRow, version: number): Buffer {
    const files = this.deps.versions.find(projectId, name, version)?.files
    if (files) return files
    throw new WorkspaceError(
      'not_found',
      `The files of version ${version} of the skill ${name} are not kept: there was none, or it was made on the disk.`,
    )
  }
}

const newSkill = { version: 0, draftRevision: 0, description: '', seen: '{}', isPlaced: true }

async function requirePublishable({ draft }: SkillRow): Promise<SkillFiles> {
  if (!draft)
    throw new WorkspaceError('bad_request', 'There is no draft to publish.', {
      next: { step: 'save a draft' },
    })
  const files = await unpack(draft)
  if (files.has(manifestName)) return files
  throw new WorkspaceError('bad_request', `A skill needs the file ${manifestName}. Save the draft with one.`)
}

function toRecord(project: Project, row: Omit<SkillRow, 'draft'>): SkillRecord {
  const { name, description, version, draftRevision, changedMs, seen } = row
  const isPublished = Object.hasOwn(JSON.parse(seen), manifestName)
  return {
    project: project.slug,
    name,
    description,
    version,
    draftRevision,
    changedAt: changedMs,
    path: isPublished ? skillTreePath(project, name) : null,
  }
}

const maxNameLength = 64

function requireSkillName(name: string): void {
  const isKebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
  if (isKebab && name.length <= maxNameLength && illegalNameReason(name) === null && !isIgnoredName(name))
    return
  throw new WorkspaceError(
    'bad_request',
    `The name of a skill is in kebab case, such as release-notes: lower-case letters and digits with hyphens between them, at most ${maxNameLength} characters, and not a name that an operating system reserves.`,
  )
}
