import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createWorkspace } from '../../core/workspace/setup.ts'
import { serve } from '../bench/processes.ts'
import { request } from '../support/http-client.ts'
import type { CampaignRun } from './campaign.ts'

/** A project of a running server and the rclone program. */
export interface RcloneContext {
  /** The absolute path of a new empty folder. */
  folder: string
  /** The project's folder in rclone's form, to which a path can be appended. */
  remote: string
  rclone(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>
  /** Restarts the server on the same home and address. */
  restart(): Promise<void>
  /** Sends a request as the owner. */
  request(
    method: string,
    path: string,
    options?: { body?: string | Buffer; headers?: Record<string, string> },
  ): Promise<{ status: number; text: string }>
}

export interface RcloneScenario {
  name: string
  /** @returns a sentence for each broken promise */
  play(context: RcloneContext): Promise<string[]>
}

/** The version of the installed rclone; null if there is none. */
export function rcloneVersion(): string | null {
  try {
    return execFileSync('rclone', ['version'], { encoding: 'utf8' }).split('\n')[0]!
  } catch {
    return null
  }
}

/** Plays scenarios in turn on one server, each with a folder of its own. */
export class ScenarioRun {
  played = 0
  private server: ScenarioServer | null = null

  constructor(
    private readonly run: CampaignRun,
    private readonly scenarios: readonly RcloneScenario[],
  ) {}

  get remaining(): number {
    return this.scenarios.length - this.played
  }

  async playNext(): Promise<void> {
    this.server ??= await startScenarioServer(this.run.folder)
    const { name, play } = this.scenarios[this.played]!
    const folder = join(this.run.folder, `scenario-${this.played}`)
    mkdirSync(folder)
    const broken = await play({ ...this.server, folder }).catch((error) => [
      error instanceof Error ? error.message : String(error),
    ])
    this.played += 1
    this.run.tried()
    for (const promise of broken) this.run.failed(`rclone, ${name}: ${promise}`)
    if (this.remaining === 0) await this.close()
  }

  async close(): Promise<void> {
    await this.server?.close()
    this.server = null
  }
}

interface ScenarioServer extends Omit<RcloneContext, 'folder'> {
  close(): Promise<void>
}

async function startScenarioServer(folder: string): Promise<ScenarioServer> {
  const home = join(folder, 'home')
  const { key } = await createWorkspace({ home, name: 'Team', owner: 'Ada' })
  let server = await serve(home)
  const { port } = server
  const url = `http://127.0.0.1:${port}`
  const env = environmentOf(url, key, folder)
  return {
    remote: 'team:',
    rclone: (...args) => runProgram('rclone', args, env),
    async restart() {
      await server.close()
      server = await serve(home, [], port)
    },
    request: (method, path, options) => request(url, method, path, { key, ...options }),
    close: () => server.close(),
  }
}

/** The configuration of the remote `team` (`docs/webdav.md`). */
function environmentOf(url: string, key: string, folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    RCLONE_CONFIG: join(folder, 'rclone.conf'),
    RCLONE_CONFIG_TEAM_TYPE: 'webdav',
    RCLONE_CONFIG_TEAM_URL: `${url}/dav/projects/general/`,
    RCLONE_CONFIG_TEAM_VENDOR: 'owncloud',
    RCLONE_CONFIG_TEAM_USER: 'me',
    RCLONE_CONFIG_TEAM_PASS: execFileSync('rclone', ['obscure', key], { encoding: 'utf8' }).trim(),
  }
}

function runProgram(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error ? error.code : 0
      if (typeof code === 'number') resolve({ code, stdout, stderr })
      else reject(error)
    })
  })
}
