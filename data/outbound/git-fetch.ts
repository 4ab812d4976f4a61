import { existsSync } from 'node:fs'
import { measurePacks, removeFolder, removeLeftovers } from './git-mirror.ts'
import { type GitFailure, gitFailure, isNewEnough, type RunGit } from './git-process.ts'
import { type CheckedSource, checkSource, type GitSource, type SourceRules } from './git-sources.ts'

export interface Fetched {
  kind: 'fetched'
  /** The branch of its HEAD; `HEAD` if detached. */
  branch: string
  commitId: string
}

interface FetchingDeps {
  run: RunGit
  rules: SourceRules
  maxMirrorBytes: number
}

interface FetchRequest {
  mirror: string
  source: GitSource
  /** The commit that the mirror is expected to contain. */
  knownId: string | null
  signal: AbortSignal
}

const maxHeadBytes = 64 * 1024
const measureIntervalMs = 500
/** A mirror with more packs, one for each fetch, is repacked without unreachable objects. */
const maxPacks = 20

const branch = 'refs/heads/default'

/** Creates a missing or broken mirror. */
export class MirrorFetcher {
  private readonly deps: FetchingDeps
  private isGitSupported = false

  constructor(deps: FetchingDeps) {
    this.deps = deps
  }

  async fetch(wish: FetchRequest): Promise<Fetched | GitFailure> {
    const { source, knownId, signal } = wish
    const unfit = await this.checkGit(signal)
    if (unfit) return unfit
    const way = await checkSource(source, this.deps.rules, signal)
    if (way.kind === 'failure') return way
    const head = await this.remoteHead(way, signal)
    if (head.kind === 'failure') return head
    const isThere = await this.hasCommit(wish)
    if (typeof isThere !== 'boolean') return isThere
    if (isThere && head.commitId === knownId) return head
    const failure =
      (await (isThere && head.commitId.length === knownId?.length
        ? this.repack(wish)
        : this.createMirror(wish, head))) ?? (await this.fetchInto(wish, way))
    if (failure) {
      await removeLeftovers(wish.mirror)
      return failure
    }
    const args = ['rev-parse', '--verify', '--quiet', `${branch}^{commit}`]
    const found = await this.inMirror(wish, args)
    return found.kind === 'failure' ? found : { ...head, commitId: found.bytes.toString().trim() }
  }

  private async checkGit(signal: AbortSignal): Promise<GitFailure | null> {
    if (this.isGitSupported) return null
    const output = await this.deps.run({ args: ['version'], maxBytes: 200, whenTooLarge: 'cut', signal })
    if (output.kind === 'failure') return output
    const said = output.bytes.toString().trim()
    this.isGitSupported = isNewEnough(said)
    return this.isGitSupported ? null : gitFailure('too_old', said)
  }

  private async remoteHead(way: CheckedSource, signal: AbortSignal): Promise<Fetched | GitFailure> {
    const { settings, options, url, transport } = way
    const args = [...settings, 'ls-remote', '--symref', '--exit-code', ...options, '--', url, 'HEAD']
    const output = await this.deps.run({
      args,
      transport,
      maxBytes: maxHeadBytes,
      whenTooLarge: 'cut',
      signal,
    })
    if (output.kind === 'failure') return output.detail === 'exit code 2' ? gitFailure('empty') : output
    const text = output.bytes.toString()
    const commitId = /^([0-9a-f]{40}|[0-9a-f]{64})\tHEAD$/m.exec(text)?.[1]
    if (commitId === undefined) return gitFailure('empty')
    const name = /^ref: refs\/heads\/(\S{1,255})\tHEAD$/m.exec(text)?.[1]
    return { kind: 'fetched', branch: name ?? 'HEAD', commitId }
  }

  /** A mirror may lack the expected commit after a power cut, or in a backup. */
  private async hasCommit(wish: FetchRequest): Promise<boolean | GitFailure> {
    if (wish.knownId === null || !existsSync(wish.mirror)) return false
    const output = await this.inMirror(wish, ['cat-file', '-e', `${wish.knownId}^{tree}`])
    return output.kind === 'failure' && output.reason !== 'failed' ? output : output.kind === 'output'
  }

  private async createMirror({ mirror, signal }: FetchRequest, head: Fetched): Promise<GitFailure | null> {
    await removeFolder(mirror)
    const format = head.commitId.length === 64 ? 'sha256' : 'sha1'
    const options = ['--bare', `--object-format=${format}`, '--initial-branch=default']
    const args = ['init', '-q', ...options, '--', mirror]
    return failureOf(await this.deps.run({ args, maxBytes: 0, whenTooLarge: 'cut', signal }))
  }

  /** Removes what an interrupted git left, and repacks after many fetches. */
  private async repack(wish: FetchRequest): Promise<GitFailure | null> {
    await removeLeftovers(wish.mirror)
    const { count, bytes } = await measurePacks(wish.mirror)
    if (count <= maxPacks && bytes <= this.deps.maxMirrorBytes / 2) return null
    return failureOf(await this.inMirror(wish, ['repack', '-a', '-d', '-q']))
  }

  private async fetchInto(wish: FetchRequest, way: CheckedSource): Promise<GitFailure | null> {
    const { mirror, signal } = wish
    const tooLarge = new AbortController()
    const measure = async () => {
      if ((await measurePacks(mirror)).bytes > this.deps.maxMirrorBytes) tooLarge.abort()
    }
    let measuring = Promise.resolve()
    const timer = setInterval(() => {
      measuring = measuring.then(measure)
    }, measureIntervalMs)
    const output = await this.deps.run({
      args: [
        ...way.settings,
        ...[
          `--git-dir=${mirror}`,
          'fetch',
          '--quiet',
          '--depth=1',
          '--update-shallow',
          '--force',
          '--no-tags',
        ],
        ...['--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance', ...way.options],
        ...['--', way.url, `+HEAD:${branch}`],
      ],
      transport: way.transport,
      maxBytes: 0,
      whenTooLarge: 'cut',
      signal: AbortSignal.any([signal, tooLarge.signal]),
    })
    clearInterval(timer)
    await measuring
    await measure()
    return tooLarge.signal.aborted ? gitFailure('too_large', 'mirror') : failureOf(output)
  }

  private inMirror({ mirror, signal }: FetchRequest, command: string[]) {
    const args = [`--git-dir=${mirror}`, ...command]
    return this.deps.run({ args, maxBytes: 100, whenTooLarge: 'cut', signal })
  }
}

const failureOf = (outcome: { kind: 'output' } | GitFailure): GitFailure | null =>
  outcome.kind === 'failure' ? outcome : null
