import type { Nodes } from 'mdast'

/** As many pages of one file are worth a preview. */
const maxLinks = 5

const maxLinkLength = 2000

/**
 * The pages of other sites that a file links to: the first five, in document order, without repeats. Links, addresses
 * in the text and references count; images, HTML and code do not.
 * @returns absolute http and https addresses without a fragment
 */
export function externalLinks(nodes: Nodes[], definitions = new Definitions(nodes)): string[] {
  const links = new Set<string>()
  for (const node of depthFirst(nodes)) {
    const link = pageAddress(destinationOf(node, definitions))
    if (link !== null && links.add(link).size === maxLinks) break
  }
  return [...links]
}

/** The links of several blocks of a file as those of the file. */
export function firstLinks(ofBlocks: string[][]): string[] {
  return [...new Set(ofBlocks.flat())].slice(0, maxLinks)
}

/** Where references in a file lead. Looked for once somebody asks: most files have none. */
export class Definitions {
  readonly #nodes: Nodes[]
  #urls: Map<string, string> | null = null

  constructor(nodes: Nodes[]) {
    this.#nodes = nodes
  }

  urlOf(identifier: string): string {
    this.#urls ??= definitionsIn(this.#nodes)
    return this.#urls.get(identifier) ?? ''
  }
}

function destinationOf(node: Nodes, definitions: Definitions): string {
  if (node.type === 'link') return node.url
  return node.type === 'linkReference' ? definitions.urlOf(node.identifier) : ''
}

/**
 * The address of the page that a link leads to, in the one notation that the URL standard gives it, without a fragment.
 * @returns null for what is no absolute http or https address, holds a password, or is too long to be one that
 *   somebody wrote
 */
function pageAddress(link: string): string | null {
  if (!/^https?:\/\//i.test(link) || link.length > maxLinkLength || !URL.canParse(link)) return null
  const url = new URL(link)
  if (url.username !== '' || url.password !== '') return null
  url.hash = ''
  return url.href.length > maxLinkLength ? null : url.href
}

/** The first of several definitions of one name counts. */
function definitionsIn(nodes: Nodes[]): Map<string, string> {
  const definitions = new Map<string, string>()
  for (const node of depthFirst(nodes)) {
    if (node.type === 'definition' && !definitions.has(node.identifier))
      definitions.set(node.identifier, node.url)
  }
  return definitions
}

/** All nodes in document order. Without recursion, whose depth every single step would cost. */
function* depthFirst(nodes: Nodes[]): Generator<Nodes> {
  const ahead = nodes.toReversed()
  for (let node = ahead.pop(); node; node = ahead.pop()) {
    yield node
    if (!('children' in node)) continue
    for (let index = node.children.length - 1; index >= 0; index--) ahead.push(node.children[index]!)
  }
}
