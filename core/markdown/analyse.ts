import { isUtf8 } from 'node:buffer'
import { analyseInput, finishAnalysis } from './analyse-input.ts'
import { contentError } from './content-error.ts'
import { bomLength } from './envelope.ts'
import { parseFence } from './frontmatter.ts'
import type { ParseInput } from './parse-input.ts'
import { previousOwnBlocks } from './previous-version.ts'
import { stripEnvelope } from './strip-envelope.ts'
import type { AnalyseRequest, Analysis, ContentError, PlainReason, PreviousVersion } from './types.ts'

/** As slow as the markdown makes it: for workers. @param plain keeps the file as text, in linear time */
export function analyse(request: AnalyseRequest, plain: PlainReason | null = null): Analysis | ContentError {
  return request.origin === 'sent' ? analyseSent(request, plain) : analyseFound(request, plain)
}

/** Why uploaded bytes are no valid markdown; null if they are. */
export function encodingProblem(bytes: Uint8Array): ContentError | null {
  if (!isUtf8(bytes)) return contentError('Markdown must be UTF-8: convert the text and send it again.')
  if (bytes.includes(0))
    return contentError('Markdown must not hold NUL characters: remove them and send it again.')
  return null
}

export function decode(bytes: Uint8Array): string {
  const start = bomLength(bytes)
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.length - start).toString()
}

/** Removes every leading BOM, since the next write would remove a second one. */
export const decodeUpload = (bytes: Uint8Array): string => decode(bytes).replace(/^\uFEFF+/, '')

function analyseSent(request: AnalyseRequest, plain: PlainReason | null): Analysis | ContentError {
  const { bytes, people, names, before } = request
  const problem = encodingProblem(bytes)
  if (problem) return problem
  const text = decodeUpload(bytes)
  const fence = parseFence(text)
  if (fence.kind === 'faulty') return contentError(fence.message)
  const { isUnchanged, ...stripped } = stripEnvelope(text, fence.kind === 'map' ? fence : null, before, names)
  if (before && isUnchanged) return unchanged(before, names)
  const canonicalIn: [number, number] = [0, stripped.body.length]
  return analyseInput(
    { ...stripped, canonicalIn, fixedMentions: null, title: 'needed', people, names, before },
    plain,
  )
}

function analyseFound(
  { bytes, people, names, before }: AnalyseRequest,
  plain: PlainReason | null,
): Analysis | ContentError {
  const text = decode(bytes)
  const fence = parseFence(text)
  const bom = bomLength(bytes) > 0 ? '\uFEFF' : ''
  const frontmatterText = bom + (fence.kind === 'map' ? text.slice(0, fence.source.length) : '')
  const bodyStart = Buffer.byteLength(frontmatterText)
  const isText = isUtf8(bytes)
  // If the frontmatter is not UTF-8, its length in bytes is unknown, and it is part of the body.
  const map = fence.kind === 'map' && (isText || isUtf8(bytes.subarray(0, bodyStart))) ? fence : null
  const { own, statusRange, fields } = map ?? { own: '', statusRange: null, fields: {} }
  const draft: ParseInput = {
    body: map ? text.slice(map.source.length) : text,
    addedHeading: 0,
    fields,
    buildFrontmatter: () => ({
      text: map ? frontmatterText : bom,
      frontmatter: map && { bodyStart, own, statusRange, fields },
    }),
    canonicalIn: null,
    fixedMentions: bytes,
    title: 'any',
    people,
    names,
    before,
  }
  return analyseInput(draft, isText ? plain : 'encoding')
}

function unchanged(before: PreviousVersion, names: Record<string, string>): Analysis {
  const total = previousOwnBlocks(before, names)?.length ?? 0
  const extracted = { references: [], searchText: '' }
  return finishAnalysis(before.stored, before.digest, extracted, { rebound: 0, orphaned: 0, total }, {})
}
