import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/** A file's bytes, the target of a symbolic link, or the commit of a submodule. */
export type CodeEntry = string | Buffer | { link: string } | { submodule: string }

export interface CodeRepository {
  path: string
  /** Runs git in it. @returns what it prints, without the line end */
  git(args: string[], input?: string | Buffer): string
  /** Commits new or changed files to `main`. @returns the commit's id */
  commit(files: Record<string, CodeEntry>): string
}

/** Creates a repository with branch `main`, bare by default. @param path the absolute path of a new folder */
export function makeRepository(
  path: string,
  files: Record<string, CodeEntry> = {},
  options: string[] = ['--bare'],
): CodeRepository {
  mkdirSync(path, { recursive: true })
  const git = (args: string[], input: string | Buffer = '') =>
    execFileSync('git', args, { cwd: path, input, stdio: 'pipe', env: environment }).toString().trim()
  git(['init', '-q', '--initial-branch=main', ...options])
  let commits = 0
  const repository: CodeRepository = {
    path,
    git,
    commit(files) {
      const from = commits++ === 0 ? '' : 'from refs/heads/main^0\n'
      const start = `commit refs/heads/main\ncommitter T <t@example.org> ${1700000000 + commits} +0000\ndata 1\nx\n${from}`
      const changes = Object.entries(files).map(([name, entry]) => changeOf(name, entry))
      git(['fast-import', '--quiet'], Buffer.concat([Buffer.from(start), ...changes]))
      return git(['rev-parse', 'refs/heads/main'])
    },
  }
  if (Object.keys(files).length > 0) repository.commit(files)
  return repository
}

const environment = {
  PATH: process.env.PATH,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
}

function changeOf(name: string, entry: CodeEntry): Buffer {
  const path = JSON.stringify(name)
  if (typeof entry === 'object' && 'submodule' in entry) {
    return Buffer.from(`M 160000 ${entry.submodule} ${path}\n`)
  }
  const isLink = typeof entry === 'object' && 'link' in entry
  const bytes = Buffer.from(isLink ? entry.link : entry)
  return Buffer.concat([
    Buffer.from(`M ${isLink ? '120000' : '100644'} inline ${path}\ndata ${bytes.length}\n`),
    bytes,
    Buffer.from('\n'),
  ])
}
