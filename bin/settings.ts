import { isIPv6 } from 'node:net'
import * as z from 'zod'
import { defaultConfig, logLevels } from '../core/config.ts'
import { isTimeZone } from '../core/time/calendar.ts'

export interface Setting {
  /** The key in `workroom.yaml`; `a.b` for `b` within `a`. */
  key: string
  variable: string
  schema: z.ZodType
  expects: string
  description: string
  fallback: unknown
}

const text = z.string().min(1)

const wholeNumber = (min: number, max: number) =>
  z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).pipe(z.int().min(min).max(max))

const boolean = z.union([z.boolean(), z.stringbool()])

/** Comma-separated in a variable. */
const list = z.union([
  z.array(text),
  z.string().transform((entries) =>
    entries
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  ),
])

/** `1000=Ada,1001=Grace` in a variable. */
const members = z
  .union([z.record(z.string(), text), z.string().transform(pairs)])
  .pipe(z.record(z.string().regex(/^\d+$/), text))

function pairs(entries: string): Record<string, string> {
  const parts = entries.split(',').filter(Boolean)
  return Object.fromEntries(parts.map((part) => part.split('=', 2).map((side) => side.trim())))
}

const hostName = text.refine((host) => isIPv6(host) || /^[\w.-]+$/.test(host))

const address = z
  .url({ protocol: /^https?$/ })
  .refine((url) => !/[?#]/.test(url))
  .transform((url) => url.replace(/\/+$/, ''))

const sender = z.string().regex(/^(?:[^<>@,;:"\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u)

const bytes = wholeNumber(1024, 1024 ** 4)

/** In the order of the documentation (`docs/operations.md#settings`). */
export const settings: readonly Setting[] = [
  setting(
    'port',
    wholeNumber(0, 65535),
    'a whole number from 0 to 65535',
    'The port to listen on; 0 takes any free one.',
  ),
  setting(
    'host',
    hostName,
    'a host name or an IP address',
    'The address to listen on; `0.0.0.0` is every IPv4 address.',
  ),
  setting(
    'publicUrl',
    address,
    'an http or https address',
    'The address that people and agents use. Default: the listening address.',
  ),
  setting(
    'timeZone',
    text.refine(isTimeZone),
    'a time zone, such as Europe/Berlin',
    'The time zone of the team: the names of posts and drafts begin with the day there.',
  ),
  setting(
    'trustProxy',
    boolean,
    'true or false',
    "Whether the server is behind a proxy, so that the last `X-Forwarded-For` hop is the caller's address.",
  ),
  setting(
    'disk.member',
    text,
    'the id, slug or name of a member',
    'The member to whom edits on the disk are attributed. Default: the first owner.',
  ),
  setting(
    'disk.uids',
    members,
    'a member by numeric user id, such as 1000=Ada',
    'The members to whom the files of users of the machine are attributed, by user id.',
  ),
  setting(
    'disk.private',
    boolean,
    'true or false',
    "Whether drafts, attachments, the files of rooms and the trash are created for the server's user alone (700/600). If false, the umask applies.",
  ),
  setting(
    'outbound.allow',
    list,
    'a list of hosts, addresses and ranges',
    'Destinations in your own network that outgoing requests may reach, also over plain http: names and addresses, each with an optional `:port`, and ranges such as `10.0.0.0/8`.',
  ),
  setting(
    'smtp.host',
    hostName,
    'a host name or an IP address',
    'The mail server. Default: no mail is sent.',
  ),
  setting('smtp.port', wholeNumber(1, 65535), 'a whole number from 1 to 65535', "The mail server's port."),
  setting(
    'smtp.user',
    text,
    'a user name',
    'The user name at the mail server. It is sent only over TLS, or to this machine.',
  ),
  setting('smtp.password', text, 'a password', 'The password at the mail server.'),
  setting(
    'smtp.from',
    sender,
    'a mail address, such as Workroom <workroom@example.org>',
    'The sender of the mail; required if `smtp.host` is set.',
  ),
  setting('smtp.secure', boolean, 'true or false', 'Whether to use TLS from the first byte, as on port 465.'),
  setting(
    'smtp.delaySeconds',
    wholeNumber(0, 86400),
    'a whole number from 0 to 86400',
    'How long mentions are collected into one message; 0 sends at once.',
  ),
  setting(
    'repositories.roots',
    list,
    'a list of folders',
    'Folders below which code repositories may be linked.',
  ),
  setting(
    'limits.requestsPerMinute',
    wholeNumber(1, 1_000_000),
    'a whole number from 1 to 1000000',
    'The requests of one key in a minute. Default: no limit.',
  ),
  setting(
    'limits.markdownBytes',
    bytes,
    'a whole number of bytes, at least 1024',
    'The largest markdown file.',
  ),
  setting(
    'limits.uploadBytes',
    bytes,
    'a whole number of bytes, at least 1024',
    'The largest uploaded file.',
  ),
  setting(
    'log.level',
    z.enum(logLevels),
    `one of ${logLevels.join(', ')}`,
    'How much is logged on standard error.',
  ),
]

function setting(key: string, schema: z.ZodType, expects: string, description: string): Setting {
  const fallback = key
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], defaultConfig)
  return { key, variable: variableOf(key), schema, expects, description, fallback }
}

/** `limits.markdownBytes` becomes WORKROOM_LIMITS_MARKDOWN_BYTES. */
function variableOf(key: string): string {
  return `WORKROOM_${key.replace('.', '_').replace(/[A-Z]/g, '_$&').toUpperCase()}`
}
