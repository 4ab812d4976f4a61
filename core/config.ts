/** Each level includes those before it. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** The settings (`docs/operations.md#settings`), read once in `bin` and passed down. */
export interface Config {
  /** 0 takes any free port. */
  port: number
  host: string
  /** Without a slash at its end; null: the listening address. */
  publicUrl: string | null
  /** Whether the last hop of `X-Forwarded-For` is the caller's address. */
  trustProxy: boolean
  disk: {
    /** The member to whom edits on the disk are attributed: id, slug or exact name; null: the first owner. */
    member: string | null
    /** By numeric user id of the file's owner. */
    uids: Record<string, string>
    /** Whether drafts, attachments and the trash are readable by the server's user only. */
    private: boolean
  }
  outbound: {
    /** Names, addresses and ranges that outgoing requests may reach although they are not public. */
    allow: string[]
  }
  smtp: {
    /** null: no mail is sent. */
    host: string | null
    port: number
    user: string | null
    password: string | null
    /** The sender; required with `host`. */
    from: string | null
    /** TLS from the first byte, as on port 465. */
    secure: boolean
    /** How long mentions are collected for one mail; 0 sends at once. */
    delaySeconds: number
  }
  repositories: {
    /** Folders below which repositories may be linked. */
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

/** No setting is required. */
export const defaultConfig: Config = {
  port: 4747,
  host: '127.0.0.1',
  publicUrl: null,
  trustProxy: false,
  disk: { member: null, uids: {}, private: true },
  outbound: { allow: [] },
  smtp: { host: null, port: 587, user: null, password: null, from: null, secure: false, delaySeconds: 120 },
  repositories: { roots: [] },
  limits: { requestsPerMinute: null, markdownBytes: 2 * 1024 * 1024, uploadBytes: 100 * 1024 * 1024 },
  log: { level: 'info' },
}

/** In bytes. Not a setting: no request needs more. */
export const maxJsonBytes = 1024 * 1024
