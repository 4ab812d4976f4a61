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
  private readonly links: Pick<Links, 'resolve'>
  private readonly files: FileUrls

  constructor(links: Pick<Links, 'resolve'>, files: FileUrls) {
    this.links = links
    this.files = files
  }

  async fill(caller: Caller, source: LinkingDocument, { parts, slots }: Html): Promise<string> {
    const tokens = new Set(slots.flatMap((slot) => tokenOf(slot) ?? []))
    const views = await this.links.resolve(caller, source, [...tokens])
    const viewOf = new Map(views.map((view) => [view.token, view]))
    const htmlOf = new Map<string, string>()
    const named = (name: string) => this.files.byName(caller, source, name)
    const filled = slots.map((slot) => {
      if (slot.kind === 'picture') return picture(slot, this.files.find(caller, source, slot.destination))
      const view = viewOf.get(tokenOf(slot)!)
      if (slot.kind === 'link') return this.link(caller, source, slot, view)
      // A long document may repeat a token a thousand times.
      const html = htmlOf.get(slot.token) ?? token(slot.token, view, named)
      htmlOf.set(slot.token, html)
      return html
    })
    return joined(parts, filled)
  }

  /** A picture links to itself, another file is a card. Without `projectId`, tokens stay as written. */
  async fillMessage(caller: Caller, projectId: string | null, { parts, slots }: Html): Promise<string> {
    if (slots.length === 0) return parts.join('')
    const tokens = new Set(slots.flatMap((slot) => tokenOf(slot) ?? []))
    const source = { projectId: projectId ?? '', path: '' }
    const views = await this.links.resolve(caller, source, [...tokens])
    const viewOf = new Map(views.map((view) => [view.token, view]))
    const shown = [...parts]
    const filled = slots.map((slot, place) => {
      if (slot.kind === 'picture') return this.pictureOfMessage(caller, slot)
      const view = viewOf.get(tokenOf(slot)!)
      if (slot.kind === 'link') {
        const card = view?.isDead === false ? null : cardOf(this.files.find(caller, null, slot.destination))
        if (!card) return this.link(caller, null, slot, view)
        shown[place + 1] = withAbout(parts[place + 1]!, card)
        return card.opening
      }
      const isText = projectId === null && view?.isDead !== false
      return isText ? `<a>${escapeHtml(slot.token)}` : token(slot.token, view, () => null)
    })
    return joined(shown, filled)
  }

  /** For external markdown, whose images are links. */
  fillExternal({ parts, slots }: Html, pageOf: PageOfPath): string {
    const filled = slots.map((slot) => {
      if (slot.kind === 'token') return `<a>${escapeHtml(slot.token)}`
      const href = pageOf(slot.destination)
      if (slot.kind === 'link') return link(slot, href)
      const shown = escapeHtml(slot.alt || slot.destination)
      return slot.isInLink || href === null ? shown : `${opening({ href, title: slot.title })}${shown}</a>`
    })
    return joined(parts, filled)
  }

  private pictureOfMessage(caller: Caller, slot: Slot & { kind: 'picture' }): string {
    const { alt, title, destination } = slot
    const file = this.files.find(caller, null, destination)
    if (file?.isPicture) {
      return `${opening({ class: 'picture', href: file.href })}${image(file, alt || file.name, title)}</a>`
    }
    const card = cardOf(file)
    if (card) return card.opening + withAbout(`${escapeHtml(alt || card.name)}</a>`, card)
    const opened = this.link(caller, null, { kind: 'link', destination, title }, undefined)
    return `${opened}${escapeHtml(alt || destination)}</a>`
  }

  private link(
    caller: Caller,
    source: LinkingDocument | null,
    slot: Slot & { kind: 'link' },
    view: LinkView | undefined,
  ): string {
    if (view?.isDead === false) return link(slot, hrefOf(view))
    const file = this.files.find(caller, source, slot.destination)
    return link(slot, file?.href ?? pageOf(slot.destination))
  }
}

interface FileCard {
  opening: string
  name: string
  about: string
}

/** Null for a picture, and for a file of which nothing is known. */
function cardOf(file: FileUrl | null): FileCard | null {
  const size = !file || file.isPicture ? null : file.size()
  if (!file || size === null) return null
  const { href, name } = file
  const type = posix.extname(name).slice(1).toUpperCase() || 'File'
  return {
    opening: opening({ class: 'file', href, download: name }),
    name,
    about: `${type}, ${formatBytes(size)}`,
  }
}

/** Adds what a card says of its file to the text of the link, with the name if the text differs from it. */
function withAbout(text: string, { name, about }: FileCard): string {
  const end = text.indexOf('</a>')
  const label = text.slice(0, end)
  const named = label === escapeHtml(name) ? '' : `<bdi>${escapeHtml(name)}</bdi>, `
  return `${label}<small>${named}${escapeHtml(about)}</small>${text.slice(end)}`
}

const joined = (parts: string[], filled: string[]): string =>
  parts.map((part, place) => part + (filled[place] ?? '')).join('')

function tokenOf(slot: Slot): string | null {
  if (slot.kind === 'token') return slot.token
  return slot.kind === 'link' ? slot.destination : null
}

function token(
  written: string,
  view: LinkView | undefined,
  pictureNamed: (name: string) => FileUrl | null,
): string {
  const [, isEmbed, inside = ''] = /^(!?)\[\[(.*)\]\]$/s.exec(written) ?? []
  const { name, label } = partsOf(inside)
  if (view && !view.isDead) {
    const attributes = {
      class: view.isEmbed ? 'reference embed' : 'reference',
      'data-type': view.type,
      title: view.label === null ? null : view.title,
      href: hrefOf(view),
    }
    return opening(attributes) + escapeHtml(view.label ?? titleOf(view))
  }
  if (name.startsWith('#'))
    return opening({ href: fragmentOf(name.slice(1)) }) + escapeHtml(label ?? name.slice(1))
  const file = isEmbed && isPicture(name) ? pictureNamed(name) : null
  if (file) return opening({ href: file.href }) + image(file, label ?? name, null)
  return opening({ class: 'dead', title: deadLinkTitle }) + escapeHtml(label ?? name)
}

const deadLinkTitle = 'Not found, or not visible to you'

function partsOf(inside: string): { name: string; label: string | null } {
  const text = inside.replace(/\\([!-/:-@[-`{-~])/g, '$1')
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

function link({ title }: Slot & { kind: 'link' }, href: string | null): string {
  return href === null ? opening({ class: 'dead', title: deadLinkTitle }) : opening({ href, title })
}

function picture(
  { alt, title, destination, isInLink }: Slot & { kind: 'picture' },
  file: FileUrl | null,
): string {
  const shown = escapeHtml(alt || (file?.name ?? destination))
  if (file?.isPicture) return image(file, alt, title)
  if (file && !isInLink) return `${opening({ href: file.href, title })}${shown}</a>`
  return isInLink ? shown : `<span class="dead" title="${deadLinkTitle}">${shown}</span>`
}

function image({ href }: FileUrl, alt: string, title: string | null): string {
  const titled = title === null ? '' : ` title="${escapeHtml(title)}"`
  return `<img src="${escapeHtml(href)}" alt="${escapeHtml(alt)}"${titled} loading="lazy" decoding="async">`
}

function opening(attributes: Record<string, string | null>): string {
  let tag = '<a'
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) tag += ` ${name}="${escapeHtml(value)}"`
  }
  return `${tag} dir="auto">`
}
