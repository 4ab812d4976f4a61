import type { ContentError, PlainReason } from './types.ts'

export function contentError(message: string): ContentError {
  return { kind: 'refusal', message }
}

export function noBlocksError(reason: PlainReason): ContentError {
  const why = {
    budget: 'takes too long to parse',
    depth: 'is nested too deeply to be parsed',
    encoding: 'is not UTF-8',
  }[reason]
  return contentError(
    `This file ${why}, so it is stored as plain text and has no blocks: PUT the whole file to change it.`,
  )
}

export const tooSlowEditsError = contentError(
  'These edits take too long in this file: send fewer of them, with shorter texts to find, or PUT the whole file.',
)
