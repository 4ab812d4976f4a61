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
  private readonly slotFiller: SlotFiller

  constructor(shared: PreviewDeps, deps: { addressing: AddressResolver; slotFiller: SlotFiller }) {
    this.shared = shared
    this.addressing = deps.addressing
    this.slotFiller = deps.slotFiller
  }

  /** Accepts invalid frontmatter and titles. @throws WorkspaceError `not_found`, `forbidden` (project) */
  async render(
    caller: Caller,
    context: PreviewContext,
    bytes: Uint8Array,
  ): Promise<{ html: string; unreached: Unreached[] }> {
    const { markdown, members, pageUrl } = this.shared
    const project = this.addressing.requireProject(caller, context.project, context.folder, 'read')
    const source = this.sourceOf(caller, project, context)
    const people = mentionCandidates(members, bytes, null)
    const names = members.names()
    const analysis = await markdown.analyse(
      { bytes, origin: 'found', people, names, before: null },
      'answering',
    )
    if (analysis.kind === 'refusal') throw new WorkspaceError('invalid', analysis.message)
    const { stored, digest } = analysis
    const title = digest.title ?? source.title
    const displayed = displayedText({
      stored,
      // A text without a title is shown without one.
      digest: title === null ? { ...digest, titleSource: 'heading' } : digest,
      title: title ?? '',
      names,
    })
    const html = await markdown.html({ ...displayed, origin: pageUrl(''), isPlain: digest.plain !== null })
    const isToBePublished = source.kind === 'draft' || source.kind === 'post'
    return {
      html: await this.slotFiller.fill(caller, source, html),
      unreached: isToBePublished ? unreachedByPost(this.shared, project, digest, caller.member.id) : [],
    }
  }

  private sourceOf(
    caller: Caller,
    project: Project,
    { folder, id, subFolder }: PreviewContext,
  ): LinkingDocument & { title: string | null } {
    const record = id === undefined ? null : this.shared.catalogue.find(id)
    const isReadable = record?.projectId === project.id && mayRead(caller, record, this.shared.projects)
    if (isReadable) return record
    const folderPath = {
      documents: subFolder ? `documents/${subFolder}` : 'documents',
      posts: 'posts',
      drafts: 'drafts/new',
      board: 'board/new',
    }[folder]
    return {
      id: '',
      projectId: project.id,
      kind: kindInFolder[folder],
      path: `${folderPath}/new.md`,
      authorId: caller.member.id,
      attachments: [],
      title: null,
    }
  }
}
