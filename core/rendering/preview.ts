import type { Caller } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import type { AddressResolver } from '../documents/addressing/address-resolver.ts'
import { mentionCandidates } from '../documents/content/mention-candidates.ts'
import type { DocumentsDeps } from '../documents/deps/deps.ts'
import { kindInFolder } from '../documents/model/document-paths.ts'
import { mayRead } from '../documents/model/readable-documents.ts'
import type { PreviewContext } from '../documents/model/types.ts'
import { unreachedByPost } from '../documents/reading/results.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { displayedText } from '../markdown/index.ts'
import type { Unreached } from '../members/unreached.ts'
import type { LinkingDocument } from './file-urls.ts'
import type { SlotFiller } from './slot-filler.ts'

type PreviewDeps = Pick<
  DocumentsDeps,
  'catalogue' | 'markdown' | 'members' | 'pageUrl' | 'projects' | 'unreached'
>

export class Preview {
  private readonly shared: PreviewDeps
  private readonly addressing: AddressResolver
  private readonly filling: SlotFiller

  constructor(shared: PreviewDeps, deps: { addressing: AddressResolver; filling: SlotFiller }) {
    this.shared = shared
    this.addressing = deps.addressing
    this.filling = deps.filling
  }

  /** Accepts invalid frontmatter and titles. @throws WorkspaceError `not_found`, `forbidden` (project) */
  async render(
    caller: Caller,
    writing: PreviewContext,
    bytes: Uint8Array,
  ): Promise<{ html: string; unreached: Unreached[] }> {
    const { markdown, members, pageUrl } = this.shared
    const project = this.addressing.requireProject(caller, writing.project, writing.folder, 'read')
    const source = this.sourceOf(caller, project, writing)
    const people = mentionCandidates(members, bytes, null)
    const names = members.names()
    const analysis = await markdown.analyse(
      { bytes, origin: 'found', people, names, before: null },
      'answering',
    )
    if (analysis.kind === 'refusal') throw new WorkspaceError('invalid', analysis.message)
    const { stored, digest } = analysis
    const title = digest.title ?? source.title
    const shown = displayedText({
      stored,
      // A text without a title is shown without one.
      digest: title === null ? { ...digest, titleSource: 'heading' } : digest,
      title: title ?? '',
      names,
    })
    const html = await markdown.html({ ...shown, origin: pageUrl(''), isPlain: digest.plain !== null })
    const isToBePublished = source.kind === 'draft' || source.kind === 'post'
    return {
      html: await this.filling.fill(caller, source, html),
      unreached: isToBePublished ? unreachedByPost(this.shared, project, digest, caller.member.id) : [],
    }
  }

  private sourceOf(
    caller: Caller,
    project: Project,
    { folder, id, subFolder }: PreviewContext,
  ): LinkingDocument & { title: string | null } {
    const record = id === undefined ? null : this.shared.catalogue.find(id)
    const isIts = record?.projectId === project.id && mayRead(caller, record, this.shared.projects)
    if (isIts) return record
    const within = {
      documents: subFolder ? `documents/${subFolder}` : 'documents',
      posts: 'posts',
      drafts: 'drafts/new',
      board: 'board/new',
    }[folder]
    return {
      id: '',
      projectId: project.id,
      kind: kindInFolder[folder],
      path: `${within}/new.md`,
      authorId: caller.member.id,
      attachments: [],
      title: null,
    }
  }
}
