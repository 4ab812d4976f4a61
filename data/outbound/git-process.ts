import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from './failure.ts'

/** Why git did not do what it was asked for. The set is closed; the words for people are core's. */
export type GitFailureReason =
  /** The git program could not be started: `detail` is `ENOENT` where there is none on this machine. */
  | 'not_started'
  /** It does not know the settings that hold it back: `detail` is what it calls its version. */
  | 'too_old'
  /** It ended by itself with an error: `detail` is what it said. */
  | 'failed'
  | 'timeout'
  /** More came than was asked for. */
  | 'too_large'
  /** Too many wait for git already. */
  | 'busy'
  /** The workspace closes, or the repository is being removed. */
  | 'stopped'
  /** The folder lies below no root. */
  | 'outside_roots'
  /** The folder lies in the workspace itself. */
  | 'inside_home'
  /** Something in the repository leads out of it: `detail` says what. */
  | 'leads_outside'
  | 'not_a_repository'
  /** It has no commit yet. */
  | 'empty'
  /** Its address may not be reached: `detail` is the category of `OutboundFailure`. */
  | 'address'

export interface GitFailure {
  kind: 'failure'
  reason: GitFailureReason
  /** For a log or a hint: one line of at most 200 characters, which a stranger may have written. */
  detail: string
}

export const gitFailure = (reason: GitFailureReason, detail = ''): GitFailure => ({
  kind: 'failure',
  reason,
  detail,
})

interface GitCommand {
  args: readonly string[]
  /** The transports that it may use, such as `file`; left out: none, it stays in the mirror. */
  transport?: string
  /** The longest output that is kept. */
  maxBytes: number
  /** What a longer one is: its beginning, `isCut`, or the failure `too_large`. */
  whenTooLarge: 'cut' | 'fail'
  /** Aborted, it ends the program and everything that the program has started. */
  signal: AbortSignal
}

interface GitOutput {
  kind: 'output'
  bytes: Buffer
  isCut: boolean
}

/** Runs git once. @returns `stopped` where the signal ended it: whoever gave the signal knows why */
export type RunGit = (run: GitCommand) => Promise<GitOutput | GitFailure>

/**
 * The only settings that git sees, and hands on to what it starts. Those of the machine and of its user are not read,
 * and of a repository that is fetched from only what `upload-pack` takes from it, which can start nothing.
 * `safe.directory`: the roots were named by the operator, whoever owns what is below them.
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

/**
 * Whether git knows all of the settings: those of the user are left out since 2.32, and a host is held to the addresses
 * that were checked since 2.37.
 * @param said what `git version` prints
 */
export function isNewEnough(said: string): boolean {
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(said) ?? []
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 37)
}

/** How much of what git complains of is kept. */
const maxErrorBytes = 4096

/**
 * Opens the way to the git program. No shell is involved, no question is asked of anybody, no hook, helper or setting of
 * a repository is run, and no transport is used but the one that is named.
 * @param folder absolute path, made if it is missing: where it runs, and what it takes for a home
 * @param authorities certificates of the authorities to trust, in PEM; default those that git trusts
 */
export function openGitProcess(folder: string, authorities?: string): RunGit {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const authoritiesPath = join(folder, 'authorities.pem')
  if (authorities !== undefined) writeFileSync(authoritiesPath, authorities, { mode: 0o600 })
  const settingsPath = join(folder, 'settings')
  // Not written without need: a full disk is no reason not to start.
  if (!existsSync(settingsPath) || readFileSync(settingsPath, 'utf8') !== settings) {
    writeFileSync(settingsPath, settings, { mode: 0o600 })
  }
  const environment = {
    // Where the machine keeps its programs; nothing else of the server's surroundings is handed on.
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
    // A path is a path, also where it looks like one of git's patterns.
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
        // The leader of a group of its own: what it starts can be ended with it.
        detached: true,
      })
      const chunks: Buffer[] = []
      let leftBytes = maxBytes
      let errors = ''
      let early: GitFailure | null = null
      const end = (failure: GitFailure | null) => {
        early ??= failure
        killGroup(child.pid)
      }
      const stop = () => end(gitFailure('stopped'))
      signal.addEventListener('abort', stop)
      child.stdout.on('data', (chunk: Buffer) => {
        if (leftBytes < 0) return
        chunks.push(chunk.subarray(0, leftBytes))
        leftBytes -= chunk.length
        if (leftBytes < 0) end(whenTooLarge === 'fail' ? gitFailure('too_large', 'output') : null)
      })
      child.stderr.on('data', (chunk: Buffer) => {
        errors = (errors + chunk.toString()).slice(-maxErrorBytes)
      })
      child.on('error', (error) => {
        early ??= gitFailure('not_started', codeOf(error))
      })
      child.on('close', (code) => {
        signal.removeEventListener('abort', stop)
        const isCut = leftBytes < 0
        if (early) resolve(early)
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
    // It has just ended by itself.
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

/** The line in which git says why it ended, without what the other side may have put there to steer a terminal. */
function errorLine(errors: string): string {
  const line = errors.split('\n').find((text) => /^(?:fatal|error): /.test(text)) ?? ''
  return line
    .replace(/^\w+: /, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
