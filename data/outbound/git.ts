import { setMaxListeners } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { requireAllowList } from './allow-list.ts'
import { ConnectionLimit } from './connection-limit.ts'
import { startDeadline } from './deadline.ts'
import { resolveNames } from './dns.ts'
import { type Fetched, MirrorFetcher } from './git-fetch.ts'
import { removeFolder, removeUnlisted } from './git-mirror.ts'
import { type GitFailure, gitFailure, openGitProcess } from './git-process.ts'
import type { GitSource } from './git-sources.ts'
import { isAddressable, readTree, type TreeEntry, type TreeListing } from './git-trees.ts'
import type { Resolve } from './types.ts'

export type { Fetched } from './git-fetch.ts'
export type { GitFailure, GitFailureReason } from './git-process.ts'
export type { GitSource } from './git-sources.ts'
export type { TreeEntry } from './git-trees.ts'

export interface GitOptions {
  folder: string
  home: string
  roots: readonly string[]
  allow: readonly string[]
  resolve?: Resolve
  authorities?: string
  /** Includes the time in the queue. Defaults to 120,000 ms. */
  fetchMs?: number
  maxMirrorBytes?: number
  maxEntries?: number
}

/** Includes the time in the queue. */
const readTimeoutMs = 20_000
const maxTreeBytes = 4 * 1024 * 1024
const maxPathBytes = 4096
const maxQueued = 64

/** Bare mirrors of the newest commit. Content is read by object id, never checked out or run. */
export function openGit(options: GitOptions) {
  const { folder, home, roots, allow: allowed, fetchMs = 120_000, maxEntries = 10_000 } = options
  const allow = requireAllowList(allowed)
  const resolve = options.resolve ?? resolveNames({ isLocal: (name) => allow.names(name) })
  const run = openGitProcess(folder, options.authorities)
  const rules = { roots, home, allow, resolve }
  const fetcher = new MirrorFetcher({ run, rules, maxMirrorBytes: options.maxMirrorBytes ?? 2 * 1024 ** 3 })
  const fetches = new ConnectionLimit({ total: 3, perHost: 3 })
  const reads = new ConnectionLimit({ total: 4, perHost: 4 })
  const stopping = new AbortController()
  // One signal may end many reads; Node warns of more than ten listeners.
  setMaxListeners(0, stopping.signal)
  const activeFetches = new Map<string, { controller: AbortController; ended: Promise<unknown> }>()
  let queued = 0

  const mirrorOf = (id: string) => join(folder, `${id}.git`)

  /** Runs an operation when its turn comes; fails with `timeout` if that takes too long. */
  async function runQueued<T>(
    limit: ConnectionLimit,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
    task: (signal: AbortSignal) => Promise<T | GitFailure>,
  ): Promise<T | GitFailure> {
    if (queued >= maxQueued) return gitFailure('busy')
    const deadline = startDeadline(timeoutMs, signal)
    try {
      queued += 1
      const release = await limit.acquire('', deadline.signal).finally(() => {
        queued -= 1
      })
      const result = await task(deadline.signal).finally(release)
      return deadline.isExpired && isStopped(result) ? gitFailure('timeout') : result
    } catch (error) {
      if (deadline.isExpired) return gitFailure('timeout')
      if (signal.aborted) return gitFailure('stopped')
      throw error
    } finally {
      deadline.clear()
    }
  }

  async function runRead(id: string, command: string[], maxBytes: number, whenTooLarge: 'cut' | 'fail') {
    const args = [`--git-dir=${mirrorOf(id)}`, ...command]
    return runQueued(reads, { timeoutMs: readTimeoutMs, signal: stopping.signal }, (signal) =>
      run({ args, maxBytes, whenTooLarge, signal }),
    )
  }

  return {
    /** One fetch at a time for each mirror; a failure changes nothing. */
    async fetch(id: string, source: GitSource, expectedId: string | null): Promise<Fetched | GitFailure> {
      const controller = new AbortController()
      const signal = AbortSignal.any([controller.signal, stopping.signal])
      const ended = runQueued(fetches, { timeoutMs: fetchMs, signal }, (signal) =>
        fetcher.fetch({ mirror: mirrorOf(id), source, expectedId, signal }),
      )
      activeFetches.set(id, { controller, ended: ended.catch(() => {}) })
      return ended.finally(() => activeFetches.delete(id))
    },

    async list(id: string, treeId: string): Promise<TreeListing | GitFailure> {
      const output = await runRead(id, ['ls-tree', '-r', '-z', '-l', treeId], maxTreeBytes, 'cut')
      return output.kind === 'failure' ? output : readTree(output.bytes, output.isCut, maxEntries)
    },

    async find(id: string, commitId: string, path: string): Promise<TreeEntry | null | GitFailure> {
      if (!isAddressable(path) || Buffer.byteLength(path) > maxPathBytes) return null
      const command = ['ls-tree', '-z', '-l', commitId, '--', path]
      const output = await runRead(id, command, 2 * maxPathBytes, 'cut')
      if (output.kind === 'failure') return output
      return readTree(output.bytes, output.isCut, 2).entries.find((entry) => entry.path === path) ?? null
    },

    async read(id: string, objectId: string, maxBytes: number): Promise<Buffer | GitFailure> {
      const output = await runRead(id, ['cat-file', 'blob', objectId], maxBytes, 'fail')
      return output.kind === 'failure' ? output : output.bytes
    },

    async remove(id: string): Promise<void> {
      const fetch = activeFetches.get(id)
      fetch?.controller.abort()
      await fetch?.ended
      await removeFolder(mirrorOf(id))
    },

    /** Removes mirrors that are not listed. Returns those of `ids` that exist. */
    async keepOnly(ids: readonly string[]): Promise<string[]> {
      await removeUnlisted(folder, new Set(ids.map((id) => `${id}.git`)))
      return ids.filter((id) => existsSync(mirrorOf(id)))
    },

    async stop(): Promise<void> {
      stopping.abort()
      await Promise.all([...activeFetches.values()].map(({ ended }) => ended))
    },
  }
}
export type Git = ReturnType<typeof openGit>

const isStopped = (result: unknown) => (result as GitFailure | null)?.reason === 'stopped'
