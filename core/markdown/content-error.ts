import type { PlainReason, Refusal } from './types.ts'

export function refusal(message: string): Refusal {
  return { kind: 'refusal', message }
}

/** Why a file that is kept as plain text has no blocks. */
export function noBlocksError(reason: PlainReason): Refusal {
  const why = {
    budget: 'takes too long to parse',
    depth: 'nests too deep to be parsed',
    encoding: 'is not UTF-8',
  }[reason]
  return refusal(
    `This file ${why}, so it is stored as plain text and has no blocks: PUT the whole file to change it.`,
  )
}
