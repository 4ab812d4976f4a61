import type { Text } from '@codemirror/state'
import { call } from '../../api.ts'
import { linesAbove, type Revision } from '../file.ts'

/** Finds where a block of the saved revision begins in the current text; null if it does not exist. */
export async function findBlockPosition(
  path: string,
  base: Revision,
  block: string,
  getDoc: () => Text,
): Promise<number | null> {
  const { json } = await call('GET', `${path}?view=blocks`)
  const blocks = json.blocks as { id: string; lines: [number, number] }[]
  const found = blocks.find(({ id }) => id === block)
  if (!found) return null
  const doc = getDoc()
  const line = found.lines[0] - linesAbove(base)
  return doc.line(Math.min(Math.max(line, 1), doc.lines)).from
}
