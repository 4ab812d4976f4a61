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
  expectedId: string | null
  signal: AbortSignal
}

const maxHeadBytes = 64 * 1024
const measureIntervalMs = 500
/** A mirror with more packs, one for each fetch, is repacked without unreachable objects. */
const maxPacks = 20

const branch = 'refs/heads/default'

/** Creates a missing or broken mirror. */
export class MirrorFetcher {
  private isGitSupported = false

  constructor(private readonly deps: FetchingDeps) {}

  async fetch(request: FetchRequest): Promise<Fetched | GitFailure> {
    const { source, expectedId, signal } = request
    const unsupported = await this.checkGit(signal)
    if (unsupported) return unsupported
    const checked = await checkSource(source, this.deps.rules, signal)
    if (checked.kind === 'failure') return checked
    const head = await this.remoteHead(checked, signal)
    if (head.kind === 'failure') return head
    const hasCommit = await this.hasCommit(request)
    if (typeof hasCommit !== 'boolean') return hasCommit
    if (hasCommit && head.commitId === expectedId) return head
    const failure =
      (await (hasCommit && head.commitId.length === expectedId?.length
        ? this.repack(request)
        : this.createMirror(request, head))) ?? (await this.fetchInto(request, checked))
    if (failure) {
      await removeLeftovers(request.mirror)
      return failure
    }
    const args = ['rev-parse', '--verify', '--quiet', `${branch}^{commit}`]
    const found = await this.inMirror(request, args)
    return found.kind === 'failure' ? found : { ...head, commitId: found.bytes.toString().trim() }
  }

  private async checkGit(signal: AbortSignal): Promise<GitFailure | null> {
    if (this.isGitSupported) return null
    const output = await this.deps.run({ args: ['version'], maxBytes: 200, whenTooLarge: 'cut', signal })
    if (output.kind === 'failure') return output
    const version = output.bytes.toString().trim()
    this.isGitSupported = isNewEnough(version)
    return this.isGitSupported ? null : gitFailure('too_old', version)
  }

  private async remoteHead(source: CheckedSource, signal: AbortSignal): Promise<Fetched | GitFailure> {
    const { settings, options, url, transport } = source
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
  private async hasCommit(request: FetchRequest): Promise<boolean | GitFailure> {
    if (request.expectedId === null || !existsSync(request.mirror)) return false
    const output = await this.inMirror(request, ['cat-file', '-e', `${request.expectedId}^{tree}`])
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
  private async repack(request: FetchRequest): Promise<GitFailure | null> {
    await removeLeftovers(request.mirror)
    const { count, bytes } = await measurePacks(request.mirror)
    if (count <= maxPacks && bytes <= this.deps.maxMirrorBytes / 2) return null
    return failureOf(await this.inMirror(request, ['repack', '-a', '-d', '-q']))
  }

  private async fetchInto(request: FetchRequest, source: CheckedSource): Promise<GitFailure | null> {
    const { mirror, signal } = request
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
        ...source.settings,
        ...[
          `--git-dir=${mirror}`,
          'fetch',
          '--quiet',
          '--depth=1',
          '--update-shallow',
          '--force',
          '--no-tags',
        ],
        ...['--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance', ...source.options],
        ...['--', source.url, `+HEAD:${branch}`],
      ],
      transport: source.transport,
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
