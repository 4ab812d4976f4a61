import { posix } from 'node:path'
import { slug } from 'github-slugger'
import type { Caller } from '../access/member.ts'
import type { Links } from '../links/links.ts'
import type { LinkView } from '../links/types.ts'
import type { Html, Slot } from '../markdown/index.ts'
import { escapeHtml } from '../text/escape-html.ts'
import { formatBytes } from '../text/format-bytes.ts'
import { type FileUrl, type FileUrls, isPicture, type LinkingDocument } from './file-urls.ts'
import { localUrl } from './local-url.ts'
import type { PageOfPath } from './types.ts'

/** Fills in what differs between readers: links within the workspace, and images. */
export class SlotFiller {
  constructor(
    private readonly links: Pick<Links, 'resolve'>,
    private readonly files: FileUrls,
  ) {}

  async fill(caller: Caller, source: LinkingDocument, { parts, slots }: Html): Promise<string> {
    const tokens = new Set(slots.flatMap((slot) => tokenOf(slot) ?? []))
    const views = await this.links.resolve(caller, source, [...tokens])
    const viewOf = new Map(views.map((view) => [view.token, view]))
    const htmlOf = new Map<string, string>()
    const findPicture = (name: string) => this.files.byName(caller, source, name)
    const slotHtmls = slots.map((slot) => {
      if (slot.kind === 'picture') return pictureHtml(slot, this.files.find(caller, source, slot.destination))
      const view = viewOf.get(tokenOf(slot)!)
      if (slot.kind === 'link') return this.link(caller, source, slot, view)
      // A long document may repeat a token a thousand times.
      const html = htmlOf.get(slot.token) ?? tokenHtml(slot.token, view, findPicture)
      htmlOf.set(slot.token, html)
      return html
    })
    return joinParts(parts, slotHtmls)
  }

  /** A picture links to itself, another file is a card. Without `projectId`, tokens stay as written. */
  async fillMessage(caller: Caller, projectId: string | null, { parts, slots }: Html): Promise<string> {
    if (slots.length === 0) return parts.join('')
    const tokens = new Set(slots.flatMap((slot) => tokenOf(slot) ?? []))
    const source = { projectId: projectId ?? '', path: '' }
    const views = await this.links.resolve(caller, source, [...tokens])
    const viewOf = new Map(views.map((view) => [view.token, view]))
    const partHtmls = [...parts]
    const slotHtmls = slots.map((slot, index) => {
      if (slot.kind === 'picture') return this.pictureOfMessage(caller, slot)
      const view = viewOf.get(tokenOf(slot)!)
      if (slot.kind === 'link') {
        const card = view?.isDead === false ? null : cardOf(this.files.find(caller, null, slot.destination))
        if (!card) return this.link(caller, null, slot, view)
        partHtmls[index + 1] = withFileDetails(parts[index + 1]!, card)
        return card.openTag
      }
      const isText = projectId === null && view?.isDead !== false
      return isText ? `<a>${escapeHtml(slot.token)}` : tokenHtml(slot.token, view, () => null)
    })
    return joinParts(partHtmls, slotHtmls)
  }

  /** For external markdown, whose images are links. */
  fillExternal({ parts, slots }: Html, pageOf: PageOfPath): string {
    const slotHtmls = slots.map((slot) => {
      if (slot.kind === 'token') return `<a>${escapeHtml(slot.token)}`
      const href = pageOf(slot.destination)
      if (slot.kind === 'link') return linkHtml(slot, href)
      const textHtml = escapeHtml(slot.alt || slot.destination)
      return slot.isInLink || href === null
        ? textHtml
        : `${openTag({ href, title: slot.title })}${textHtml}</a>`
    })
    return joinParts(parts, slotHtmls)
  }

  private pictureOfMessage(caller: Caller, slot: Slot & { kind: 'picture' }): string {
    const { alt, title, destination } = slot
    const file = this.files.find(caller, null, destination)
    if (file?.isPicture) {
      return `${openTag({ class: 'picture', href: file.href })}${imageHtml(file, alt || file.name, title)}</a>`
    }
    const card = cardOf(file)
    if (card) return card.openTag + withFileDetails(`${escapeHtml(alt || card.name)}</a>`, card)
    const linkTag = this.link(caller, null, { kind: 'link', destination, title }, undefined)
    return `${linkTag}${escapeHtml(alt || destination)}</a>`
  }

  private link(
    caller: Caller,
    source: LinkingDocument | null,
    slot: Slot & { kind: 'link' },
    view: LinkView | undefined,
  ): string {
    if (view?.isDead === false) return linkHtml(slot, hrefOf(view))
    const file = this.files.find(caller, source, slot.destination)
    return linkHtml(slot, file?.href ?? pageOf(slot.destination))
  }
}

interface FileCard {
  openTag: string
  name: string
  details: string
}

/** Null for a picture, and for a file of which nothing is known. */
function cardOf(file: FileUrl | null): FileCard | null {
  const size = !file || file.isPicture ? null : file.size()
  if (!file || size === null) return null
  const { href, name } = file
  const type = posix.extname(name).slice(1).toUpperCase() || 'File'
  return {
    openTag: openTag({ class: 'file', href, download: name }),
    name,
    details: `${type}, ${formatBytes(size)}`,
  }
}

/** Adds what a card says of its file to the text of the link, with the name if the text differs from it. */
function withFileDetails(text: string, { name, details }: FileCard): string {
  const end = text.indexOf('</a>')
  const label = text.slice(0, end)
  const nameHtml = label === escapeHtml(name) ? '' : `<bdi>${escapeHtml(name)}</bdi>, `
  return `${label}<small>${nameHtml}${escapeHtml(details)}</small>${text.slice(end)}`
}

const joinParts = (parts: string[], slotHtmls: string[]): string =>
  parts.map((part, index) => part + (slotHtmls[index] ?? '')).join('')

function tokenOf(slot: Slot): string | null {
  if (slot.kind === 'token') return slot.token
  return slot.kind === 'link' ? slot.destination : null
}

function tokenHtml(
  raw: string,
  view: LinkView | undefined,
  pictureNamed: (name: string) => FileUrl | null,
): string {
  const [, isEmbed, content = ''] = /^(!?)\[\[(.*)\]\]$/s.exec(raw) ?? []
  const { name, label } = partsOf(content)
  if (view && !view.isDead) {
    const attributes = {
      class: view.isEmbed ? 'reference embed' : 'reference',
      'data-type': view.type,
      title: view.label === null ? null : view.title,
      href: hrefOf(view),
    }
    return openTag(attributes) + escapeHtml(view.label ?? titleOf(view))
  }
  if (name.startsWith('#'))
    return openTag({ href: fragmentOf(name.slice(1)) }) + escapeHtml(label ?? name.slice(1))
  const file = isEmbed && isPicture(name) ? pictureNamed(name) : null
  if (file) return openTag({ href: file.href }) + imageHtml(file, label ?? name, null)
  return openTag({ class: 'dead', title: deadLinkTitle }) + escapeHtml(label ?? name)
}

const deadLinkTitle = 'Not found, or not visible to you'

function partsOf(content: string): { name: string; label: string | null } {
  const text = content.replace(/\\([!-/:-@[-`{-~])/g, '$1')
  const bar = text.indexOf('|')
  return bar === -1
    ? { name: text, label: null }
    : { name: text.slice(0, bar), label: text.slice(bar + 1) || null }
}

function titleOf({ title, anchor }: LinkView): string {
  return anchor === null || anchor.startsWith('^') ? title! : `${title} › ${anchor}`
}

function hrefOf({ url, anchor }: LinkView): string {
  return localUrl(url!) + (anchor === null ? '' : fragmentOf(anchor))
}

/** Blocks have a `^` before their ids, headings their anchors. */
function fragmentOf(anchor: string): string {
  return `#${anchor.startsWith('^') ? anchor : encodeURIComponent(slug(anchor))}`
}

/** The page of a generated file or a folder of the tree; null if it has none. */
function pageOf(path: string): string | null {
  const [, base, file, folder] =
    /^\/v1\/fs(\/projects\/[\w%.~-]+)(?:\/(plan|map|asks|links)\.md|\/(docs|posts|drafts|board|pulls(?:\/\d+)?))?\/?$/.exec(
      path,
    ) ?? []
  if (base === undefined) return null
  const name = file ?? folder
  return name === undefined ? base : `${base}/${name}`
}

function linkHtml({ title }: Slot & { kind: 'link' }, href: string | null): string {
  return href === null ? openTag({ class: 'dead', title: deadLinkTitle }) : openTag({ href, title })
}

function pictureHtml(
  { alt, title, destination, isInLink }: Slot & { kind: 'picture' },
  file: FileUrl | null,
): string {
  const textHtml = escapeHtml(alt || (file?.name ?? destination))
  if (file?.isPicture) return imageHtml(file, alt, title)
  if (file && !isInLink) return `${openTag({ href: file.href, title })}${textHtml}</a>`
  return isInLink ? textHtml : `<span class="dead" title="${deadLinkTitle}">${textHtml}</span>`
}

function imageHtml({ href }: FileUrl, alt: string, title: string | null): string {
  const titleAttribute = title === null ? '' : ` title="${escapeHtml(title)}"`
  return `<img src="${escapeHtml(href)}" alt="${escapeHtml(alt)}"${titleAttribute} loading="lazy" decoding="async">`
}

function openTag(attributes: Record<string, string | null>): string {
  let tag = '<a'
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) tag += ` ${name}="${escapeHtml(value)}"`
  }
  return `${tag} dir="auto">`
}
