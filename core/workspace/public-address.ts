import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../data/database.ts'
import type { openTables } from './tables.ts'

interface PublicAddressDeps {
  database: Database
  tables: Pick<ReturnType<typeof openTables>, 'workspace'>
  onProblem: (message: string, error?: unknown) => void
}

/** Without a slash at its end; empty until the server's port is known. */
export class PublicAddress {
  private url = ''

  constructor(
    private readonly deps: PublicAddressDeps,
    private readonly outboundAllow: string[],
  ) {}

  pageUrl(path: string): string {
    return this.url + path
  }

  /** Resolves once the command line can read it. A failure to store it is only reported. */
  async set(url: string): Promise<void> {
    this.url = url
    const { database, onProblem } = this.deps
    const { workspace } = this.deps.tables
    const isStored =
      workspace.address() === url && isDeepStrictEqual(workspace.outboundAllow(), this.outboundAllow)
    if (isStored) return
    await database
      .commit(() => {
        workspace.setAddress(url)
        workspace.setOutboundAllow(this.outboundAllow)
      })
      .catch((error) => onProblem('The address could not be stored for the command line', error))
  }
}
