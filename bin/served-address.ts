import type { CommandLineWorkspace } from '../core/workspace/command-line.ts'
import { readSettings } from '../data/home.ts'
import type { Arguments } from './arguments.ts'
import { readConfig } from './config.ts'

/** Returns where the workspace is or was last served, else the configured address; no trailing slash. */
export function servedAddress({ address }: CommandLineWorkspace, { home, context }: Arguments): string {
  if (address !== null) return address
  const { publicUrl, host, port } = readConfig({
    flags: {},
    environment: context.env,
    file: readSettings(home),
  })
  return publicUrl ?? `http://${hostInUrl(host)}:${port}`
}

export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)
