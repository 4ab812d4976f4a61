/** How much the log says: each level includes those before it. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** Everything that an operator can set (`docs/operations.md#settings`). Read once, in `bin`, and handed down. */
export interface Config {
  /** 0 takes any free port. */
  port: number
  host: string
  /** The address that people and agents use, without a slash at its end; null: the one that is listened on. */
  publicUrl: string | null
  /** Whether a proxy stands in front, whose last `X-Forwarded-For` hop is the caller's address. */
  trustProxy: boolean
  disk: {
    /** Whom an edit on the disk counts for: id, slug or exact name; null: the first owner. */
    member: string | null
    /** The same for the files of one user of the machine, by numeric user id. */
    uids: Record<string, string>
    /** Whether drafts, attachments and the trash are made for the server's user alone. */
    private: boolean
  }
  outbound: {
    /** Names, addresses and ranges on the team's own network that outgoing requests may reach. */
    allow: string[]
  }
  smtp: {
    /** null: no mail is sent. */
    host: string | null
    port: number
    user: string | null
    password: string | null
    /** The sender; set wherever `host` is. */
    from: string | null
    /** TLS from the first byte, as on port 465. */
    secure: boolean
    /** How long mentions are gathered into one message; 0 sends at once. */
    delaySeconds: number
  }
  repositories: {
    /** Folders of the machine below which code repositories may be linked. */
    roots: string[]
  }
  limits: {
    /** By key; null: no limit. */
    requestsPerMinute: number | null
    markdownBytes: number
    uploadBytes: number
  }
  log: { level: LogLevel }
}

/** A workspace runs with these: no setting is required. */
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

/** The largest JSON body, in bytes. Fixed: no use of the interface needs more. */
export const maxJsonBytes = 1024 * 1024
