import type { Root, RootContent } from 'mdast'
import { fromMarkdown, type Extension as MdastExtension, type Options } from 'mdast-util-from-markdown'
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { frontmatter } from 'micromark-extension-frontmatter'
import { gfm } from 'micromark-extension-gfm'

type Extension = NonNullable<Options['extensions']>[number]
type Constructs = NonNullable<Extension['text']>

export interface Parsed {
  source: string
  /** Where the parsed text begins in `source`, to which the nodes' positions refer. */
  base: number
  nodes: RootContent[]
}

/** Receives the tree before plain addresses become links, which removes the positions of text around them. */
export type BeforeAutolinks = (root: Root, source: string) => void

export class TooDeepError extends RangeError {
  constructor() {
    super('The markdown is nested too deeply')
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

/** Of the handlers, only those of plain addresses take time where there are none. */
const handlersWithoutAddresses = fullGrammar.mdastExtensions.filter(
  ({ transforms }) => transforms === undefined,
)

/** What every plain address has in its source. An `&` can represent any of these letters. */
export const mayHoldAddress = /[@&]|www|http/i

/**
 * Constructs that are tried at nearly every letter or line, by what they need in the source. Without it they
 * always fail, and a parse without them takes half the time.
 */
const costlyConstructs: Record<string, RegExp> = {
  emailAutolink: /@/,
  protocolAutolink: /http/i,
  wwwAutolink: /www/i,
  // The delimiter row of a table has a pipe, or a colon beside a hyphen.
  table: /\||:-|-:/,
}

const cachedExtensions = new Map<string, Extension[]>()

/** The fastest grammar that gives the same tree. */
function grammarFor(text: string): Grammar {
  const unneeded = Object.keys(costlyConstructs).filter((name) => !costlyConstructs[name]!.test(text))
  const key = unneeded.join(' ')
  const extensions = cachedExtensions.get(key) ?? fullGrammar.extensions.map((one) => without(unneeded, one))
  cachedExtensions.set(key, extensions)
  // References to characters are only replaced in the tree.
  const hasAddresses = mayHoldAddress.test(text)
  return {
    extensions,
    mdastExtensions: hasAddresses ? fullGrammar.mdastExtensions : handlersWithoutAddresses,
  }
}

function without(names: string[], extension: Extension): Extension {
  const { text = {}, flow = {} } = extension
  return { ...extension, text: constructsWithout(names, text), flow: constructsWithout(names, flow) }
}

function constructsWithout(names: string[], constructs: Constructs): Constructs {
  const remaining = Object.entries(constructs).map(([code, atCode]) => {
    const others = [atCode ?? []].flat().filter(({ name }) => !names.includes(name ?? ''))
    return [code, others] as const
  })
  return Object.fromEntries(remaining.filter(([, others]) => others.length > 0))
}

/** Parses a whole file: CommonMark, GFM and YAML frontmatter. @throws RangeError if it nests too deep */
export function parseFile(text: string, inspect?: BeforeAutolinks): Parsed {
  const beforeTransforms = (root: Root) => {
    requireShallow(root)
    inspect?.(root, text)
  }
  const { extensions, mdastExtensions } = grammarFor(text)
  const root = fromMarkdown(text, {
    extensions,
    mdastExtensions: [{ transforms: [beforeTransforms] }, ...mdastExtensions],
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
