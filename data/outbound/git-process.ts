import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from './failure.ts'

export type GitFailureReason =
  /** `detail` is `ENOENT` if git is not installed. */
  | 'not_started'
  /** It lacks the settings that restrict it. `detail` is its version. */
  | 'too_old'
  | 'failed'
  | 'timeout'
  | 'too_large'
  | 'busy'
  | 'stopped'
  | 'outside_roots'
  | 'inside_home'
  /** `detail` names what leads out of the repository. */
  | 'leads_outside'
  | 'not_a_repository'
  | 'empty'
  | 'address'

export interface GitFailure {
  kind: 'failure'
  reason: GitFailureReason
  /** One line of at most 200 characters, possibly written by a stranger. */
  detail: string
}

export const gitFailure = (reason: GitFailureReason, detail = ''): GitFailure => ({
  kind: 'failure',
  reason,
  detail,
})

interface GitCommand {
  args: readonly string[]
  transport?: string
  maxBytes: number
  /** Longer output is returned with `isCut`, or is the failure `too_large`. */
  whenTooLarge: 'cut' | 'fail'
  signal: AbortSignal
}

interface GitOutput {
  kind: 'output'
  bytes: Buffer
  isCut: boolean
}

export type RunGit = (command: GitCommand) => Promise<GitOutput | GitFailure>

/**
 * Settings of the machine and the user are not read, and of a fetched repository only those of `upload-pack`,
 * which cannot start a program. `safe.directory`: the operator named the roots, whatever their owner.
 */
const settings = `[core]
	hooksPath = /dev/null
	fsmonitor = false
	logAllRefUpdates = false
	bigFileThreshold = 16m
[safe]
	directory = *
[init]
	templateDir =
[http]
	followRedirects = false
	proxy =
[credential]
	helper =
[fetch]
	unpackLimit = 1
	recurseSubmodules = false
[submodule]
	recurse = false
[gc]
	auto = 0
[maintenance]
	auto = false
[pack]
	threads = 1
`

/** User settings are ignored since 2.32, hosts pinned to addresses since 2.37. */
export function isNewEnough(version: string): boolean {
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(version) ?? []
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 37)
}

const maxErrorBytes = 4096

/** Runs git without shell, prompt, hooks, helpers and repository settings. `folder` is its home. */
export function openGitProcess(folder: string, authorities?: string): RunGit {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const authoritiesPath = join(folder, 'authorities.pem')
  if (authorities !== undefined) writeFileSync(authoritiesPath, authorities, { mode: 0o600 })
  const settingsPath = join(folder, 'settings')
  // Not written without need, so that a full disk does not prevent a start.
  if (!existsSync(settingsPath) || readFileSync(settingsPath, 'utf8') !== settings) {
    writeFileSync(settingsPath, settings, { mode: 0o600 })
  }
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: settingsPath,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_PROTOCOL_FROM_USER: '0',
    // Paths are never patterns.
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    ...(authorities !== undefined && { GIT_SSL_CAINFO: authoritiesPath }),
  }

  return ({ args, transport = 'none', maxBytes, whenTooLarge, signal }) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(gitFailure('stopped'))
      const child = spawn('git', args, {
        cwd: folder,
        env: { ...environment, GIT_ALLOW_PROTOCOL: transport },
        stdio: ['ignore', 'pipe', 'pipe'],
        // Its own process group, so that its children can be ended too.
        detached: true,
      })
      const chunks: Buffer[] = []
      let remainingBytes = maxBytes
      let errors = ''
      let failure: GitFailure | null = null
      const end = (reason: GitFailure | null) => {
        failure ??= reason
        killGroup(child.pid)
      }
      const stop = () => end(gitFailure('stopped'))
      signal.addEventListener('abort', stop)
      child.stdout.on('data', (chunk: Buffer) => {
        if (remainingBytes < 0) return
        chunks.push(chunk.subarray(0, remainingBytes))
        remainingBytes -= chunk.length
        if (remainingBytes < 0) end(whenTooLarge === 'fail' ? gitFailure('too_large', 'output') : null)
      })
      child.stderr.on('data', (chunk: Buffer) => {
        errors = (errors + chunk.toString()).slice(-maxErrorBytes)
      })
      child.on('error', (error) => {
        failure ??= gitFailure('not_started', codeOf(error))
      })
      child.on('close', (code) => {
        signal.removeEventListener('abort', stop)
        const isCut = remainingBytes < 0
        if (failure) resolve(failure)
        else if (code === 0 || isCut) resolve({ kind: 'output', bytes: Buffer.concat(chunks), isCut })
        else resolve(gitFailure('failed', errorLine(errors) || `exit code ${code}`))
      })
    })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It has just ended.
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

/** Removes terminal control characters, which a remote may have sent. */
function errorLine(errors: string): string {
  const line = errors.split('\n').find((text) => /^(?:fatal|error): /.test(text)) ?? ''
  return line
    .replace(/^\w+: /, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
