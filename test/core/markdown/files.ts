import { analyse } from '../../../core/markdown/analyse.ts'
import { renderRead } from '../../../core/markdown/envelope.ts'
import type {
  AnalyseRequest,
  Analysis,
  ContentError,
  MentionCandidate,
  PreviousVersion,
} from '../../../core/markdown/types.ts'

/** A well-formed member id that ends in these characters. */
export const memberId = (tail: string) => `mem_${tail.padStart(26, '0')}`

export const ada: MentionCandidate = { id: memberId('ada'), name: 'Ada' }
export const lovelace: MentionCandidate = { id: memberId('lovelace'), name: 'Ada Lovelace' }
export const grace: MentionCandidate = { id: memberId('grace'), name: 'Grace' }

const members = [ada, lovelace, grace]

export const presentNames = (people: MentionCandidate[]): Record<string, string> =>
  Object.fromEntries(people.map(({ id, name }) => [id, name]))

type Circumstances = Partial<Pick<AnalyseRequest, 'people' | 'names' | 'before'>>

const requestOf = (
  bytes: string | Uint8Array,
  origin: 'sent' | 'found',
  rest: Circumstances,
): AnalyseRequest => {
  const people = rest.people ?? members
  return {
    bytes: Buffer.from(bytes),
    origin,
    people,
    names: rest.names ?? presentNames(people),
    before: rest.before ?? null,
  }
}

/** Analyses a file that is sent; a refusal fails the test. */
export const send = (bytes: string | Uint8Array, rest: Circumstances = {}): Analysis =>
  taken(analyse(requestOf(bytes, 'sent', rest)))

/** Analyses a file that is found on the disk. */
export const find = (bytes: string | Uint8Array, rest: Circumstances = {}): Analysis =>
  taken(analyse(requestOf(bytes, 'found', rest)))

/** The message with which a sent file is refused. */
export const refusalOf = (bytes: string | Uint8Array, rest: Circumstances = {}): string => {
  const result = analyse(requestOf(bytes, 'sent', rest))
  if (result.kind !== 'refusal') throw new Error(`It was taken, as ${textOf(result.stored)}`)
  return result.message
}

export const taken = (result: Analysis | ContentError | { kind: 'stale' }): Analysis => {
  if (result.kind !== 'analysis') throw new Error(JSON.stringify(result))
  return result
}

export const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

/** The file after a write, as the next write finds it. */
export const standing = (
  { stored, digest }: Analysis,
  title = digest.title ?? 'File name',
): PreviousVersion => ({
  stored,
  digest,
  title,
})

const serverLines = 'id: doc_1\nproject: general\nauthor: "Ada"\ncomments: 0\nmentions: ["Ada"]\n'

/** What a plain GET answers. */
export const read = (
  before: PreviousVersion,
  names: Record<string, string> = presentNames(members),
  server = serverLines,
) => renderRead({ ...before, names, server })
