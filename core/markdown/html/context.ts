import type { Nodes, RootContent } from 'mdast'
import type { Block } from '../blocks.ts'
import type { Slot } from '../types.ts'
import type { HeadingView } from '../views.ts'
import type { CodeHighlighter } from './highlighting.ts'

/** Prefix of footnote ids, with a full stop, which no heading's anchor contains. */
export const footnotePrefix = 'note.'

export type DisplayedBlock = Pick<Block, 'id' | 'node'>

export interface RenderContext {
  origin: string
  nodes: RootContent[]
  blocks: Map<Nodes, DisplayedBlock>
  headings: Map<DisplayedBlock, HeadingView>
  isMessage: boolean
  highlighter: CodeHighlighter | null
  slots: Slot[]
  diagrams: string[]
}
