import { decodeUpload, encodingProblem } from './analyse.ts'
import { analyseInput } from './analyse-input.ts'
import { contentError, noBlocksError } from './content-error.ts'
import { bodyStart } from './envelope.ts'
import { parseFence } from './frontmatter.ts'
import { toCrlf, usesCrlf, withoutFinalLineEnds } from './line-ends.ts'
import { displayMentions } from './mentions.ts'
import { displayedName } from './names.ts'
import type {
  Analysis,
  BlockWriteRequest,
  ContentError,
  MentionSpan,
  PreviousVersion,
  StaleBlock,
} from './types.ts'
import { blockSummary, blocksOfRead } from './views.ts'

const maxBlocksListed = 5000

/** `docs/interface.md#writing-a-file`. Bytes outside the block stay. @throws RangeError if nested too deep */
export function writeBlock(request: BlockWriteRequest): Analysis | ContentError | StaleBlock {
  const { before, people, names } = request
  if (before.digest.plain) return noBlocksError(before.digest.plain)
  const problem = encodingProblem(request.replacement)
  if (problem) return problem
  const sent = withoutFinalLineEnds(decodeUpload(request.replacement))
  if (sent.trim() === '')
    return contentError('A block write needs text: to remove a block, PUT the whole file without it.')

  const { source, blocks } = blocksOfRead(request.read)
  const id = request.block.toLowerCase()
  const block = blocks.find((candidate) => candidate.id === id)
  if (!block)
    return {
      kind: 'stale',
      blocks: blocks.slice(0, maxBlocksListed).map((other) => blockSummary(other, source)),
    }
  if (!block.writable) {
    const what = block.type === 'yaml' ? 'the frontmatter' : 'the title'
    return contentError(`Block ${id} is ${what}, part of the envelope. PUT the whole file to change it.`)
  }

  const stored = storedBody(before)
  const displayed = displayMentions(stored, names)
  if (!source.endsWith(displayed))
    throw new Error('A block write was given a read of other bytes than the stored ones')
  const toStored = (offset: number) =>
    storedOffset(stored.mentions, offset - (source.length - displayed.length), names)
  const [from, to] = [toStored(block.offsets[0]), toStored(block.offsets[1])]
  const replacement = usesCrlf(stored.text) ? toCrlf(sent) : sent
  const body = stored.text.slice(0, from) + replacement + stored.text.slice(to)
  const { frontmatter } = before.digest
  if (!frontmatter && parseFence(body).kind === 'map') {
    return contentError(
      'This block would turn the beginning of the file into frontmatter: PUT the whole file to do that.',
    )
  }
  const frontmatterText = Buffer.from(
    before.stored.subarray(0, bodyStart(before.stored, before.digest)),
  ).toString()
  return analyseInput(
    {
      body,
      addedHeading: 0,
      fields: frontmatter?.fields ?? {},
      buildFrontmatter: () => ({ text: frontmatterText, frontmatter }),
      canonicalIn: [from, from + replacement.length],
      fixedMentions: null,
      title: before.digest.title === null ? 'optional' : 'needed',
      people,
      names,
      before,
    },
    null,
  )
}

function storedBody({ stored, digest }: PreviousVersion): { text: string; mentions: MentionSpan[] } {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length)
  let [offset, units] = [bodyStart(stored, digest), 0]
  const unitOffset = (to: number) => {
    units += bytes.toString('utf8', offset, to).length
    offset = to
    return units
  }
  const mentions = digest.mentions.map((mention) => ({
    ...mention,
    start: unitOffset(mention.start),
    end: unitOffset(mention.end),
  }))
  return { text: bytes.toString('utf8', bodyStart(stored, digest)), mentions }
}

/** Maps an offset in the displayed body to the stored one, in which mentions have other lengths. */
function storedOffset(
  mentions: MentionSpan[],
  displayedOffset: number,
  names: Record<string, string>,
): number {
  let shift = 0
  for (const mention of mentions) {
    if (mention.start + shift >= displayedOffset) break
    shift += 1 + displayedName(mention, names).length - (mention.end - mention.start)
  }
  return displayedOffset - shift
}
