import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { illegalNameReason, isIgnoredName, nameKey } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'

const maxFiles = 100
export const maxDepth = 8

const maxPathLength = 400

export type SkillFiles = ReadonlyMap<string, string>

/** Normalizes paths to NFC. @throws WorkspaceError `bad_request`, naming the path and the problem */
export function readSkillFiles(input: Record<string, unknown>): SkillFiles {
  const entries = Object.entries(input)
  if (entries.length === 0) throw refusal('A skill needs at least one file: {"SKILL.md": "…"}.')
  if (entries.length > maxFiles) {
    throw refusal(`A skill has at most ${maxFiles} files, and these are ${entries.length}.`)
  }
  const files = new Map<string, string>()
  const names = new Names()
  for (const [sentPath, text] of entries) {
    const path = sentPath.normalize('NFC')
    const problem = problemOf(path, text) ?? names.add(path)
    if (problem !== null) throw refusal(`The file ${JSON.stringify(sentPath.slice(0, 200))} ${problem}.`)
    files.set(path, text as string)
  }
  return files
}

const refusal = (message: string) => new WorkspaceError('bad_request', message)

function problemOf(path: string, text: unknown): string | null {
  if (typeof text !== 'string') return 'must be a text'
  if (/\p{Cs}/u.test(text)) return 'holds half of a character'
  if (text.includes('\0')) return 'holds a NUL character'
  if (Buffer.byteLength(path) > maxPathLength) return `has a path longer than ${maxPathLength} bytes`
  const names = path.split('/')
  if (names.length > maxDepth) return `is deeper than ${maxDepth} folders`
  for (const name of names) {
    const illegal = illegalNameReason(name)
    if (illegal !== null) return `is not valid on every system: ${JSON.stringify(name)} ${illegal}`
    if (isIgnoredName(name)) return `has the name of a temporary file: ${name}`
  }
  return null
}

/** No file is another's folder, and none differs in case or normal form alone. */
class Names {
  private readonly taken = new Map<string, { path: string; isFile: boolean }>()

  add(path: string): string | null {
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      const problem = this.take(path.slice(0, end), false)
      if (problem !== null) return problem
    }
    return this.take(path, true)
  }

  private take(path: string, isFile: boolean): string | null {
    const key = nameKey(path)
    const other = this.taken.get(key)
    if (!other) {
      this.taken.set(key, { path, isFile })
      return null
    }
    if (!isFile && !other.isFile && other.path === path) return null
    return `conflicts with ${JSON.stringify(other.path)}: some systems treat their names as equal`
  }
}

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Runs off the main thread, like `unpack`. */
export const pack = async (files: SkillFiles): Promise<Buffer> =>
  deflate(JSON.stringify(Object.fromEntries(files)))

export const unpack = async (packed: Uint8Array): Promise<SkillFiles> =>
  new Map(Object.entries(JSON.parse((await inflate(packed)).toString()) as Record<string, string>))
