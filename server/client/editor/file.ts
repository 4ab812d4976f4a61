import { ApiError, call } from '../api.ts'
import type { EditorDetails } from './editor-details.ts'
import { joinEnvelope, splitEnvelope } from './envelope.ts'
import { normalizeLineEnds, restoreLineEnds } from './line-ends.ts'
import type { EditorPage } from './page.ts'

export interface Revision {
  name: string
  serverFrontmatter: string
  /** With the original line ends. */
  raw: string
  /** With `\n` line ends. */
  text: string
}

/** Counts the lines that a read has above the author's text. */
export function linesAbove({ serverFrontmatter, text }: Revision): number {
  const keys = serverFrontmatter === '' ? 0 : serverFrontmatter.split('\n').length - 1
  return keys + (text.startsWith('---') ? 0 : 2)
}

export class EditedFile {
  readonly details: EditorDetails
  private readonly serverKeys: ReadonlySet<string>

  constructor(details: EditorDetails) {
    this.details = details
    this.serverKeys = new Set(details.serverKeys)
  }

  get exists(): boolean {
    return this.details.path !== null
  }

  /** @param name of an older revision @returns null if the file or revision no longer exists */
  async read(name?: string): Promise<Revision | null> {
    const query = name === undefined ? '' : `?revision=${name}`
    try {
      const { text, headers } = await call('GET', this.details.path! + query)
      if (text.includes('\uFFFD')) {
        throw new ApiError(415, 'The file is no longer UTF-8 and cannot be edited here.', {})
      }
      const parts = splitEnvelope(text, this.serverKeys)
      return {
        name: headers.get('X-Service-Revision')!,
        serverFrontmatter: parts.serverFrontmatter,
        raw: parts.text,
        text: normalizeLineEnds(parts.text),
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null
      throw error
    }
  }

  /** Writes over exactly this revision. @throws ApiError 409 if the file has changed or was deleted */
  async write(text: string, base: Revision): Promise<Revision> {
    const body = joinEnvelope({
      serverFrontmatter: base.serverFrontmatter,
      text: restoreLineEnds(base.raw, text),
    })
    return this.put(this.details.path!, body, { 'If-Match': `"${base.name}"` })
  }

  /** The server names the file after its title. */
  async create(text: string, { folder, column }: EditorPage['destination']): Promise<Revision> {
    const names = folder.split('/').flatMap((name) => name.trim() || [])
    const subfolders = names.map((name) => `${encodeURIComponent(name)}/`).join('')
    const base = column === null ? this.details.folder : this.details.folder.replace(/[^/]+$/, column)
    return this.put(`${base}/${subfolders}${freeName()}`, text, { 'If-None-Match': '*' })
  }

  /** Publishes a post without a draft. @returns the path of its page */
  async createPost(text: string): Promise<string> {
    const folder = this.details.folder.replace(/drafts$/, 'posts')
    const { json } = await call('PUT', `${folder}/${freeName()}`, {
      body: text,
      headers: headersFor({ 'If-None-Match': '*' }),
    })
    return String(json.url)
  }

  async lastEditor(): Promise<string> {
    const { json } = await call('GET', `${this.details.path}/_revisions`)
    const [newest] = json.revisions as { author: string; via: string }[]
    return newest && newest.via !== 'disk' ? newest.author : 'Someone'
  }

  moveTo({ path, url }: { path: string; url: string }): void {
    const { details } = this
    details.path = path
    details.page = new URL(url, location.href).pathname
    details.back = details.page
  }

  /** After a deletion: saving creates a new file in the same folder. */
  detach(): void {
    const { kind, path } = this.details
    if (kind === 'document' || kind === 'card') this.details.folder = path!.replace(/\/[^/]+$/, '')
    Object.assign(this.details, { id: null, path: null, page: null })
  }

  get editPage(): string {
    return this.details.page!.replace(/^\/projects\/[^/]+/, '$&/edit')
  }

  private async put(path: string, body: string, condition: Record<string, string>): Promise<Revision> {
    const response = await call('PUT', path, { body, headers: headersFor(condition) })
    const saved = response.json as { id: string; path: string; url: string }
    this.details.id = saved.id
    this.moveTo(saved)
    // The server may change what was sent, such as a mention that was typed as text.
    const revision = await this.read(response.headers.get('X-Service-Revision')!)
    if (!revision) throw new ApiError(404, 'The file was deleted while it was being saved.', {})
    return revision
  }
}

const headersFor = (condition: Record<string, string>) => ({
  'Content-Type': 'text/markdown; charset=utf-8',
  ...condition,
})

/** An unused name, so that nothing is overwritten. */
const freeName = () => `new-${crypto.getRandomValues(new Uint32Array(2)).join('')}.md`
