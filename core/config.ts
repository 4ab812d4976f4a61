/** Each level includes those before it. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** Everything that an operator can set (`docs/operations.md#settings`). `bin` reads it once and passes it down. */
export interface Config {
  /** 0: any free port. */
  port: number
  host: string
  /** The address that people and agents use, without a trailing slash; null: the listening address. */
  publicUrl: string | null
  /** Of the days in the names of files. */
  timeZone: string
  /** Whether the last `X-Forwarded-For` hop, set by a proxy, is the caller's address. */
  trustProxy: boolean
  disk: {
    /** The author of edits on the disk, by id, slug or exact name; null: the first owner. */
    member: string | null
    /** The author of edits to the files of an operating system's user, by numeric user id. */
    uids: Record<string, string>
    /** Whether only the server's user may read drafts, attachments, the files of rooms and the trash. */
    private: boolean
  }
  outbound: {
    /** Names, addresses and ranges of private networks that outgoing requests may reach. */
    allow: string[]
  }
  smtp: {
    /** null: no mail is sent. */
    host: string | null
    port: number
    user: string | null
    password: string | null
    /** The sender; set if `host` is. */
    from: string | null
    /** TLS from the first byte, as on port 465. */
    secure: boolean
    /** How long mentions are collected into one mail; 0 sends immediately. */
    delaySeconds: number
  }
  repositories: {
    /** Folders of this machine below which repositories may be linked. */
    roots: string[]
  }
  limits: {
    /** For each key; null: no limit. */
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
