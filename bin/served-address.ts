import type { CommandLineWorkspace } from '../core/workspace/command-line.ts'
import { readSettings } from '../data/home.ts'
import { readConfig } from './config.ts'
import { hostInUrl } from './host-in-url.ts'

/** Where a workspace is served, or was last; where it never was, what is configured. Without a slash at its end. */
export function servedAddress({ address }: CommandLineWorkspace, home: string): string {
  if (address !== null) return address
  const { publicUrl, host, port } = readConfig({
    flags: {},
    environment: process.env,
    file: readSettings(home),
  })
  return publicUrl ?? `http://${hostInUrl(host)}:${port}`
}
