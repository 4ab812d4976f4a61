import type { Nodes } from 'mdast'

const maxLinks = 5

const maxLinkLength = 2000

/** Returns the first http and https links to other sites, without fragments; none of images, HTML or code. */
export function externalLinks(nodes: Nodes[], definitions = new Definitions(nodes)): string[] {
  const links = new Set<string>()
  for (const node of depthFirst(nodes)) {
    const link = pageAddress(destinationOf(node, definitions))
    if (link !== null && links.add(link).size === maxLinks) break
  }
  return [...links]
}

export function firstLinks(linksByBlock: string[][]): string[] {
  return [...new Set(linksByBlock.flat())].slice(0, maxLinks)
}

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

function pageAddress(link: string): string | null {
  if (!/^https?:\/\//i.test(link) || link.length > maxLinkLength || !URL.canParse(link)) return null
  const url = new URL(link)
  if (url.username !== '' || url.password !== '') return null
  url.hash = ''
  return url.href.length > maxLinkLength ? null : url.href
}

/** The first definition of a name counts. */
function definitionsIn(nodes: Nodes[]): Map<string, string> {
  const definitions = new Map<string, string>()
  for (const node of depthFirst(nodes)) {
    if (node.type === 'definition' && !definitions.has(node.identifier))
      definitions.set(node.identifier, node.url)
  }
  return definitions
}

function* depthFirst(nodes: Nodes[]): Generator<Nodes> {
  const stack = nodes.toReversed()
  for (let node = stack.pop(); node; node = stack.pop()) {
    yield node
    if (!('children' in node)) continue
    for (let index = node.children.length - 1; index >= 0; index--) stack.push(node.children[index]!)
  }
}
