export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** An operator's settings (`docs/operations.md#settings`), read once by `bin`. */
export interface Config {
  /** 0: any free port. */
  port: number
  host: string
  /** The base URL of links, without a trailing slash; null: the listening address. */
  publicUrl: string | null
  timeZone: string
  /** Whether the last `X-Forwarded-For` hop, set by a proxy, is the caller's address. */
  trustProxy: boolean
  disk: {
    /** The author of edits on the disk: id, slug or exact name; null: the first owner. */
    member: string | null
    /** The author by numeric user id of the operating system. */
    uids: Record<string, string>
    /** Whether only the server's user may read drafts, attachments, rooms' files and the trash. */
    private: boolean
  }
  outbound: {
    /** Names, addresses and ranges of private networks that requests may reach. */
    allow: string[]
  }
  smtp: {
    host: string | null
    port: number
    user: string | null
    password: string | null
    from: string | null
    secure: boolean
    /** How long mentions are collected for one mail. */
    delaySeconds: number
  }
  repositories: {
    roots: string[]
  }
  limits: {
    requestsPerMinute: number | null
    markdownBytes: number
    uploadBytes: number
  }
  log: { level: LogLevel }
}

export const defaultConfig: Config = {
  port: 4747,
  host: '127.0.0.1',
  publicUrl: null,
  timeZone: 'UTC',
  trustProxy: false,
  disk: { member: null, uids: {}, private: true },
  outbound: { allow: [] },
  smtp: { host: null, port: 587, user: null, password: null, from: null, secure: false, delaySeconds: 120 },
  repositories: { roots: [] },
  limits: { requestsPerMinute: null, markdownBytes: 2 * 1024 * 1024, uploadBytes: 100 * 1024 * 1024 },
  log: { level: 'info' },
}

/** Not a setting, because no request needs a larger body. */
export const maxJsonBytes = 1024 * 1024
