import type { Root, RootContent } from 'mdast'
import { fromMarkdown, type Extension as MdastExtension, type Options } from 'mdast-util-from-markdown'
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { frontmatter } from 'micromark-extension-frontmatter'
import { gfm } from 'micromark-extension-gfm'

type Extension = NonNullable<Options['extensions']>[number]

/** Top-level nodes, and the text of their positions. */
export interface Parsed {
  source: string
  /** Where the parsed text begins in `source`. */
  base: number
  nodes: RootContent[]
}

/** Receives the tree before plain addresses become links, which removes the positions of the text around them. */
export type BeforeAutolinks = (root: Root, source: string) => void

/** The file nests deeper than a tree can safely be walked. */
export class TooDeepError extends RangeError {
  constructor() {
    super('The markdown nests too deep')
    this.name = 'TooDeepError'
  }
}

/** Far beyond real files. Walking a tree recurses, and a stack overflow can end the process. */
const maxDepth = 256

/** A body after a fence may begin with a fence or BOM, which mean nothing there. */
const fenceAbove = '---\n---\n'

interface Grammar {
  extensions: Extension[]
  mdastExtensions: MdastExtension[]
}

const fullGrammar: Grammar = {
  extensions: [gfm(), frontmatter(['yaml'])],
  mdastExtensions: [...gfmFromMarkdown(), frontmatterFromMarkdown(['yaml'])],
}

/** The constructs of plain addresses are tried at many letters, that of emails at nearly every one. */
const extensionsWithout = (isLeftOut: (name: string) => boolean): Extension[] =>
  fullGrammar.extensions.map(({ text, ...others }) => ({
    ...others,
    text: constructsWithout(text, isLeftOut),
  }))

function constructsWithout(
  constructs: Extension['text'] = {},
  isLeftOut: (name: string) => boolean,
): NonNullable<Extension['text']> {
  const kept = Object.entries(constructs).map(([code, atCode]) => {
    const others = [atCode ?? []].flat().filter(({ name }) => !isLeftOut(name ?? ''))
    return [code, others] as const
  })
  return Object.fromEntries(kept.filter(([, others]) => others.length > 0))
}

const withoutEmails = extensionsWithout((name) => name === 'emailAutolink')

/** Without linking plain addresses, which costs a third of a parse. */
const withoutAddresses: Grammar = {
  extensions: extensionsWithout((name) => name.endsWith('Autolink')),
  mdastExtensions: fullGrammar.mdastExtensions.filter(({ transforms }) => transforms === undefined),
}

/** What every plain address has in its source. An `&` can represent any of these letters. */
export const mayHoldAddress = /[@&]|www|http/i

/** The fastest grammar that gives the same tree. References to characters are only replaced in the tree. */
function grammarFor(text: string): Grammar {
  if (!mayHoldAddress.test(text)) return withoutAddresses
  if (text.includes('@')) return fullGrammar
  const { mdastExtensions } = fullGrammar
  return { extensions: /www|http/i.test(text) ? withoutEmails : withoutAddresses.extensions, mdastExtensions }
}

/** Parses a whole file: CommonMark, GFM and YAML frontmatter. @throws RangeError if it nests too deep */
export function parseFile(text: string, inspect?: BeforeAutolinks): Parsed {
  const atFirst = (root: Root) => {
    requireShallow(root)
    inspect?.(root, text)
  }
  const { extensions, mdastExtensions } = grammarFor(text)
  const root = fromMarkdown(text, {
    extensions,
    mdastExtensions: [{ transforms: [atFirst] }, ...mdastExtensions],
  })
  return { source: text, base: 0, nodes: root.children }
}

/** Parses what is below the frontmatter, never as frontmatter. @throws RangeError if it nests too deep */
export function parseBody(body: string, inspect?: BeforeAutolinks): Parsed {
  if (!body.startsWith('---') && !body.startsWith('\uFEFF')) return parseFile(body, inspect)
  const { source, nodes } = parseFile(fenceAbove + body, inspect)
  return { source, base: fenceAbove.length, nodes: nodes.slice(1) }
}

export function autolink(nodes: RootContent[]): void {
  const root: Root = { type: 'root', children: nodes }
  for (const { transforms = [] } of fullGrammar.mdastExtensions) {
    for (const transform of transforms ?? []) transform(root)
  }
}

function requireShallow(root: Root): void {
  let level: { children: unknown[] }[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new TooDeepError()
    level = level.flatMap(({ children }) => children.filter(isParent))
  }
}

function isParent(node: unknown): node is { children: unknown[] } {
  return typeof node === 'object' && node !== null && 'children' in node
}
